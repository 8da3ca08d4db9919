module github.com/retrygen/retrygen/examples/telephony

go 1.26.0

require (
	github.com/retrygen/retrygen v0.0.0
	github.com/sony/gobreaker/v2 v2.4.0
)

require (
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/retrygen/retrygen => ../..
