module github.com/retrygen/retrygen/bench

go 1.26.0

require (
	github.com/getkin/kin-openapi v0.153.0
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/retrygen/retrygen v0.0.0
	golang.org/x/time v0.16.0
)

require (
	github.com/go-openapi/jsonpointer v0.22.5 // indirect
	github.com/go-openapi/swag/jsonname v0.25.5 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
	golang.org/x/text v0.14.0 // indirect
)

replace github.com/retrygen/retrygen => ..
