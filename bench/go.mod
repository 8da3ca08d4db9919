module github.com/retrygen/retrygen/bench

go 1.26.0

require (
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/retrygen/retrygen v0.0.0
	golang.org/x/time v0.16.0
)

require github.com/hashicorp/go-cleanhttp v0.5.2 // indirect

replace github.com/retrygen/retrygen => ..
