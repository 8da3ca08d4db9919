# Every module of this repository that has packages; tools/ has none.
MODULES := $(patsubst ./,.,$(dir $(wildcard ./go.mod bench/go.mod examples/*/go.mod retryvet/plugin/go.mod)))

# Every package that is generated, by its configuration.
CONFIGS = $(shell find examples bench -name retrygen.yaml -not -path '*/testdata/*' | sort)
GENERATE = go run ./cmd/retrygen generate $(addprefix --config ,$(CONFIGS))

FUZZTIME ?= 10s

# in runs a command in every module.
in = for module in $(MODULES); do echo "-- $$module"; (cd "$$module" && $(1)); done

.PHONY: help
help: ## print this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.PHONY: demo
demo: ## run the example gateway against a provider that fails
	@go run ./examples/petstore

.PHONY: drill
drill: ## rehearse an outage of the telephony provider (150 s), with a report in drill-report/
	@go -C examples/telephony run ./cmd/drill --out $(CURDIR)/drill-report

.PHONY: fleet
fleet: ## rehearse outages before a thousand processes, with plots in fleet-report/
	@go run ./internal/fleet

.PHONY: test
test: ## run the tests of every module
	@set -e; $(call in,go test ./...)

.PHONY: race
race: ## run the tests of every module with the race detector, but for published documents
	@set -e; $(call in,RETRYGEN_CORPUS= go test -race ./...)

.PHONY: generate
generate: ## generate the code of the examples
	@$(GENERATE)

.PHONY: check
check: ## fail if generated code is not what its document gives
	@$(GENERATE) --check

.PHONY: golden
golden: ## rewrite the golden files; read the difference before you commit it
	@set -e; packages=$$(grep -rl --include='*_test.go' 'Bool("update"' cmd internal runtime | xargs -n 1 dirname | sort -u | sed 's|^|./|'); \
	go test $$packages -run Golden -update

.PHONY: lint
lint: ## run go vet, retryvet and golangci-lint on every module
	@set -e; go build -o bin/retryvet ./cmd/retryvet; linter=$$(go tool -modfile=tools/go.mod -n golangci-lint); \
	$(call in,go vet ./... && go vet -vettool=$(CURDIR)/bin/retryvet ./... && "$$linter" run ./...)

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (10s)
	@./tools/fuzz.sh $(FUZZTIME)

.PHONY: soak
soak: ## 200,000 calls over connections that die, ten million steps of the retry budget
	RETRYGEN_SOAK=1 go test ./runtime/internal/pool -run 'Race|Chaos' -count 1 -timeout 30m -v
	go test ./runtime -run TestLedgerAgainstDefinition -count 1 -timeout 60m -v -rapid.checks 16700

.PHONY: corpus
corpus: ## generate and compile every document of RETRYGEN_CORPUS, with a table of what it takes
	RETRYGEN_CORPUS_ALL=1 go test ./internal/corpus -run TestEveryDocument -count 1 -timeout 30m -v

.PHONY: cases
cases: ## the documents that break other generators: what they become, and what is sent and read
	go test ./internal/corpus -run TestGoldenCases -count 1 -v

.PHONY: bench
bench: ## run the benchmarks, beside those of other libraries
	go test -run '^$$' -bench . -benchmem ./runtime/...
	cd bench && go test -run '^$$' -bench . -benchmem ./...

.PHONY: ci
ci: ## run all that the project demands of a change
	./.ci/run
