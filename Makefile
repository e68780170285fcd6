# Everything the project checks, one target each; .ci/run calls them in order.

GOLANGCI_LINT_VERSION := v2.15.0
GOFUMPT_VERSION := v0.12.0
# Executions of each fuzz target. A count, not a time: up to Go 1.26 the end of a time
# may be reported as a failure, "context deadline exceeded" (go.dev/issue/75804).
FUZZ ?= 30000x
# Which targets; FUZZ_TARGET='^FuzzOpen$$' is one of them.
FUZZ_TARGET ?= ^Fuzz

# How many types are made up, and how many inputs are tried.
CROSSCHECK ?= -types 1500 -inputs 50000

# The packages of every module of go.work.
ALL := ./... ./bench/... ./examples/fleet/... ./internal/lab/... ./integrations/boltstore/... ./integrations/copytasks/... ./integrations/jetstream/...

CORE := github.com/mcptool-go/mcptool
# The modules that other modules of go.work require, beside the core: the paths of their directories.
REQUIRED := bench integrations/boltstore integrations/jetstream

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
fuzz: ## Each fuzz target, FUZZ executions
	@# What counts as new are the edges of the package itself and of internal: go test -fuzz also counts those
	@# of net/http and crypto/tls, and looks at all of the counters after each execution, which takes longer than what we test.
	@mkdir -p $(BIN) && for pkg in $$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... ./bench/docpage ./bench/install ./bench/redact); do \
		targets=$$(go test -list '$(FUZZ_TARGET)' $$pkg | grep '^Fuzz') || continue; \
		go test -c -gcflags=$$pkg=-d=libfuzzer -gcflags=github.com/mcptool-go/mcptool/internal/...=-d=libfuzzer \
			-o $(BIN)/fuzz.test $$pkg || exit 1; \
		for target in $$targets; do \
			echo "$$pkg $$target"; \
			(cd $$(go list -f '{{.Dir}}' $$pkg) && $(BIN)/fuzz.test -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZ) \
				-test.fuzzminimizetime 1000x -test.fuzzcachedir "$$(go env GOCACHE)/fuzz/$$pkg") || exit 1; \
		done; \
	done

.PHONY: suite
suite: ## The official JSON Schema test data, through our front end
	go test -count=1 -v -run '^TestSuite' ./reflectschema/... | grep -v '^=== '

.PHONY: crosscheck
crosscheck: ## Schemas and codec against another validator, over CROSSCHECK
	go run ./internal/lab/crosscheck $(CROSSCHECK)

.PHONY: conformance
conformance: ## The official conformance suite, on one endpoint
	internal/conformance/run

.PHONY: interop
interop: ## The official clients against every example, over every transport
	internal/interop/run

.PHONY: apps
apps: ## A view in Chromium, in a host of the official packages
	internal/interop/apps/run

.PHONY: balanced
balanced: ## Three instances behind nginx, under load
	go run ./internal/lab/balance

.PHONY: fleet
fleet: ## Three instances with JetStream inside, killed one after the other
	go run ./internal/lab/fleet

.PHONY: bench
bench: ## Every benchmark, six times, for benchstat
	go test -run '^$$' -bench . -benchmem -count 6 $(ALL)

.PHONY: update
update: ## Write the golden files anew
	go test -count=1 $(GOLDEN) -update

.PHONY: mod
mod: ## go mod tidy in every module
	go mod tidy
	@# go mod tidy does not read go.work, and what the modules require of each other is not published: they are
	@# tidied in a copy of go.mod that has the replaces which go.work has.
	@mkdir -p .tmp/mod && for dir in $$(go list -m -f '{{.Dir}}' | grep -Fxv $(CURDIR)); do \
		cp $$dir/go.mod .tmp/mod/go.mod && cp $$dir/go.sum .tmp/mod/go.sum && \
		go mod edit -replace $(CORE)=$(CURDIR) $(foreach m,$(REQUIRED),-replace $(CORE)/$(m)=$(CURDIR)/$(m)) .tmp/mod/go.mod && \
		(cd $$dir && go mod tidy -modfile=$(CURDIR)/.tmp/mod/go.mod) && \
		go mod edit -dropreplace $(CORE) $(foreach m,$(REQUIRED),-dropreplace $(CORE)/$(m)) .tmp/mod/go.mod && \
		cp .tmp/mod/go.mod $$dir/go.mod && cp .tmp/mod/go.sum $$dir/go.sum || exit 1; \
	done

.PHONY: tidy
tidy: ## go.mod, go.work.sum, goldens and generated files are what the code says
	@# Every module and package is found with what go.work.sum has, also where no module was downloaded before.
	rm -rf $(CURDIR)/.tmp/modules
	export GOFLAGS=-modcacherw GOMODCACHE=$(CURDIR)/.tmp/modules && go list -m all >/dev/null && go list -deps -test $(ALL) >/dev/null
	rm -rf $(CURDIR)/.tmp/modules
	git diff --exit-code '*go.mod' '*go.sum' go.work.sum
	$(MAKE) -s mod
	git diff --exit-code '*go.mod' '*go.sum'
	go generate ./...
	$(MAKE) -s update
	git diff --exit-code

$(LINT):
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(BIN)/golangci-lint $@

$(FUMPT):
	GOBIN=$(BIN) go install mvdan.cc/gofumpt@$(GOFUMPT_VERSION)
	mv $(BIN)/gofumpt $@
