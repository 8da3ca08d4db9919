module github.com/retrygen/retrygen/retryvet/plugin

go 1.26.0

require (
	github.com/golangci/plugin-module-register v0.1.2
	github.com/retrygen/retrygen v0.0.0
	golang.org/x/tools v0.52.0
)

require (
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/retrygen/retrygen => ../..
