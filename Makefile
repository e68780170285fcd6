# Everything the project checks, one target each; .ci/run calls them in order.

GOLANGCI_LINT_VERSION := v2.15.0
GOFUMPT_VERSION := v0.12.0
FUZZTIME ?= 5s

# The packages of every module of go.work.
ALL := ./... ./bench/...

BIN := $(CURDIR)/.tmp/bin
LINT := $(BIN)/golangci-lint-$(GOLANGCI_LINT_VERSION)
FUMPT := $(BIN)/gofumpt-$(GOFUMPT_VERSION)

# Packages whose tests own golden files and so take the -update flag.
GOLDEN = $(shell go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{join .TestImports ","}},{{join .XTestImports ","}}{{end}}' ./... | awk '$$1 !~ /golden/ && $$2 ~ /internal\/golden/ {print $$1}')

.PHONY: help
help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: ## The tests, as the README says
	go test $(ALL)

.PHONY: build
build: ## Build and vet everything, also for another system and without cgo
	go build $(ALL)
	go vet $(ALL)
	CGO_ENABLED=0 GOOS=windows go build ./...
	CGO_ENABLED=0 GOOS=darwin go build ./...

.PHONY: lint
lint: $(LINT) $(FUMPT) ## golangci-lint and gofumpt, pinned
	$(LINT) run $(ALL)
	@out=$$($(FUMPT) -l $$(git ls-files '*.go')); test -z "$$out" || { echo "run 'make fmt': $$out"; exit 1; }

.PHONY: fmt
fmt: $(LINT) ## Format the code and group its imports
	$(LINT) fmt ./...

.PHONY: layers
layers: ## The order of the rooms
	go test -count=1 -run '^TestLayers$$' .

.PHONY: race
race: ## The tests under the race detector, in random order
	go test -race -shuffle=on -count=1 $(ALL)

.PHONY: fuzz
fuzz: ## Each fuzz target for FUZZTIME
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

.PHONY: suite
suite: ## The official JSON Schema test data, through our front end
	go test -count=1 -v -run '^TestSuite' ./reflectschema | grep -v '^=== '

.PHONY: conformance
conformance: ## The official conformance suite, on one endpoint
	internal/conformance/run

.PHONY: interop
interop: ## The official clients against every example
	internal/interop/run

.PHONY: bench
bench: ## Every benchmark, six times, for benchstat
	go test -run '^$$' -bench . -benchmem -count 6 $(ALL)

.PHONY: update
update: ## Write the golden files anew
	go test -count=1 $(GOLDEN) -update

.PHONY: tidy
tidy: ## go.mod, goldens and generated files are what the code says
	go mod tidy -diff
	cd bench && go mod tidy -diff
	go generate ./...
	$(MAKE) -s update
	git diff --exit-code

$(LINT):
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(BIN)/golangci-lint $@

$(FUMPT):
	GOBIN=$(BIN) go install mvdan.cc/gofumpt@$(GOFUMPT_VERSION)
	mv $(BIN)/gofumpt $@
