# Everything the project checks, one target each. .ci/run has those that every change has to pass; nightly has the others.

GOLANGCI_LINT_VERSION := v2.15.0
GOFUMPT_VERSION := v0.12.0
GOTESTSUM_VERSION := v1.13.0
# Executions of each fuzz target. A count, not a time: up to Go 1.26 the end of a time
# may be reported as a failure, "context deadline exceeded" (go.dev/issue/75804).
FUZZ ?= 30000x
# Which targets; FUZZ_TARGET='^FuzzOpen$$' is one of them.
FUZZ_TARGET ?= ^Fuzz

# How many types are made up, and how many inputs are tried.
CROSSCHECK ?= -types 1500 -inputs 50000

# How long nightly searches for the worst message, and runs servers under traffic and faults.
WORST ?= 5m
SOAK ?= 10m

# The packages of every module of go.work: first those of the core, then those of the others.
ALL := $(patsubst %,%/...,$(shell sed -n 's/^\t\(\.[^ ]*\)$$/\1/p' go.work))
MODULES := $(filter-out ./...,$(ALL))
# Those that users run, on any system.
PORTABLE := $(filter-out ./internal/lab/...,$(ALL))
# Those that start goroutines or share state between them. boltstore is missing, whose tests take five times as long under
# the race detector.
CONCURRENT_MODULES := ./bench/internal/swap ./integrations/jetstream ./integrations/jwtauth ./internal/measure/client ./internal/measure/load
CONCURRENT := ./runtime/... ./stdio ./streamhttp ./task/... ./mcptool/... ./internal/admission ./internal/contain ./internal/notify ./internal/replay $(CONCURRENT_MODULES)

CORE := github.com/mcptool-go/mcptool
# The modules that other modules of go.work require, beside the core: the paths of their directories.
REQUIRED := integrations/boltstore integrations/cobra integrations/jetstream integrations/jwtauth integrations/otelmcp internal/measure

BIN := $(CURDIR)/.tmp/bin
LINT := $(BIN)/golangci-lint-$(GOLANGCI_LINT_VERSION)
FUMPT := $(BIN)/gofumpt-$(GOFUMPT_VERSION)
TESTSUM := $(BIN)/gotestsum-$(GOTESTSUM_VERSION)

# Packages whose tests own golden files and so take the -update flag.
GOLDEN = $(shell go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{join .TestImports ","}},{{join .XTestImports ","}}{{end}}' ./... | awk '$$1 !~ /golden/ && $$2 ~ /internal\/testing\/golden/ {print $$1}')

.PHONY: help
help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: ## The tests of all modules
	go test $(ALL)

.PHONY: modules
modules: ## The short tests of the modules beside the core, except what make race runs
	go test -short $$(go list $(MODULES) | grep -vxF "$$(go list $(CONCURRENT_MODULES))") && \
	go test -short -run '^TestFullDiskOfNode$$' ./integrations/jetstream

.PHONY: vet
vet: ## Vet everything, and the core for Windows. The tests compile and link what go build would.
	go vet $(ALL)
	CGO_ENABLED=0 GOOS=windows go vet ./...

.PHONY: vet-all
vet-all: ## Vet what users run for Windows and macOS, which compiles all dependencies for each
	CGO_ENABLED=0 GOOS=windows go vet $(PORTABLE)
	CGO_ENABLED=0 GOOS=darwin go vet $(PORTABLE)

.PHONY: lint
lint: $(LINT) $(FUMPT) ## golangci-lint and gofumpt, pinned, and mcptoolvet on the examples
	$(LINT) run $(ALL)
	go build -o $(BIN)/mcptoolvet ./integrations/mcptoolvet/cmd/mcptoolvet
	go vet -vettool=$(BIN)/mcptoolvet ./examples/... ./examples/fleet/... ./examples/gitlab/...
	@out=$$($(FUMPT) -l $$(git ls-files '*.go')); test -z "$$out" || { echo "run 'make fmt': $$out"; exit 1; }

.PHONY: fmt
fmt: $(LINT) ## Format the code and group its imports
	$(LINT) fmt ./...

.PHONY: race
race: ## The short tests of what starts goroutines, under the race detector and in random order
	go test -race -short -shuffle=on $(CONCURRENT)

.PHONY: race-all
race-all: ## All tests under the race detector, in random order
	MCPTOOL_TEST_NIGHTLY=1 go test -race -shuffle=on -count=1 -timeout 30m $(ALL)

# The packages with fuzz targets.
FUZZED := $(sort $(dir $(shell git grep -l '^func Fuzz' -- '*_test.go')))
# The directories that the latest commits changed, and the packages that these directories are internal to.
COMMITTED = $(sort $(dir $(shell git log -n 10 --name-only --format= -- '*.go')))
CHANGED = $(sort $(COMMITTED) $(foreach dir,$(COMMITTED),$(firstword $(subst /internal/,/ ,$(dir)))))

.PHONY: fuzz
fuzz: FUZZED_NOW = $(FUZZED)
fuzz: fuzz-run ## Each fuzz target, FUZZ executions

.PHONY: fuzz-changed
fuzz-changed: FUZZED_NOW = $(filter $(FUZZED),$(CHANGED))
fuzz-changed: fuzz-run ## The fuzz targets of packages that the latest ten commits changed

.PHONY: fuzz-run
fuzz-run:
	@# What counts as new are the edges of the package itself, of its internal packages and of internal: go test -fuzz also counts those
	@# of net/http and crypto/tls, and looks at all of the counters after each execution, which takes longer than what we test.
	@mkdir -p $(BIN) && for dir in $(FUZZED_NOW); do \
		pkg=$$(go list ./$$dir) || exit 1; \
		targets=$$(cd $$dir && grep -ho '^func Fuzz[A-Za-z0-9_]*' *_test.go | cut -d' ' -f2 | grep -E '$(FUZZ_TARGET)') || continue; \
		go test -c -gcflags=$$pkg=-d=libfuzzer -gcflags=$$pkg/internal/...=-d=libfuzzer -gcflags=$(CORE)/internal/...=-d=libfuzzer -o $(BIN)/fuzz.test ./$$dir || exit 1; \
		for target in $$targets; do \
			echo "$$pkg $$target"; \
			(cd $$dir && $(BIN)/fuzz.test -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZ) \
				-test.fuzzminimizetime 1000x -test.fuzzcachedir "$$(go env GOCACHE)/fuzz/$$pkg") || exit 1; \
		done; \
	done

.PHONY: crosscheck
crosscheck: ## Schemas and codec against another validator, over CROSSCHECK
	go run ./internal/lab/crosscheck $(CROSSCHECK)

.PHONY: foreigntypes
foreigntypes: ## Types of other modules as arguments and results, against encoding/json, ajv and santhosh-tekuri/jsonschema
	internal/lab/foreigntypes/run

.PHONY: foreignschemas
foreignschemas: ## Schemas of npm packages against two other validators
	go run ./internal/lab/foreignschemas

.PHONY: openapi
openapi: ## bench import openapi on documents of npm packages and Go modules, and calls of all tools made of them
	go run ./internal/lab/openapi

.PHONY: conformance
conformance: ## The official conformance suite, on one endpoint
	internal/conformance/run

.PHONY: interop
interop: ## The official clients against every example, over every transport
	internal/interop/run

.PHONY: agents
agents: ## Coding agents with a scripted model against a server with tool search
	internal/interop/agents/run

.PHONY: swaps
swaps: ## The official clients and Claude Code, while bench dev replaces the server ten times
	internal/interop/swaps/run

.PHONY: smoke
smoke: ## The official clients against one example, over every transport
	internal/interop/run weather

.PHONY: chromium
chromium: ## Install Chromium on Debian, if it is missing
	@[ -x "$${MCPTOOL_CHROMIUM:-/usr/bin/chromium}" ] || \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; }

.PHONY: apps
apps: chromium ## A view in Chromium, in a host of the official packages
	internal/interop/apps/run

.PHONY: page
page: chromium ## The page of bench ui in Chromium, with the checks of axe-core for accessibility
	internal/interop/axe/run

.PHONY: nginx
nginx: ## Install nginx on Debian, if it is missing
	@command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nginx; }

.PHONY: orders
orders: ## The example orders with PostgreSQL, its tests and 60 s of load
	@ls -d /usr/lib/postgresql/*/bin >/dev/null 2>&1 || \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql; }
	internal/lab/orders/run

.PHONY: balanced
balanced: nginx ## Three instances behind nginx, under load
	go run ./internal/lab/balance

.PHONY: newuser
newuser: ## A helpdesk for two organizations as the guides describe it, used before and after restarts
	go test -count=1 -v ./internal/lab/newuser

.PHONY: deploy
deploy: nginx ## Three instances that restart while clients with sessions call tools
	internal/lab/deploy/run

.PHONY: fleet
fleet: ## Three instances with JetStream inside, killed one after the other
	go run ./internal/lab/fleet

.PHONY: worst
worst: ## Search for the message that costs most, for WORST, with the tests of the search and all costly messages known
	MCPTOOL_TEST_NIGHTLY=1 go test -count=1 -timeout 30m ./internal/hostile/... ./internal/schemacompare ./reflectschema
	go run ./internal/hostile/worst -for $(WORST)

.PHONY: soak
soak: ## Servers under traffic and faults, for SOAK
	go run ./internal/lab/soak -for $(SOAK)

# The commit that slower compares with.
BEFORE ?= origin/main

.PHONY: slower
slower: ## The CPU of calls, compared with the commit BEFORE, in 20 rounds
	go run ./internal/lab/throughput -before $(BEFORE)

.PHONY: figures
figures: ## How much there is to read, compared with internal/lab/figures/figures.txt
	go run ./internal/lab/figures

.PHONY: nightly
nightly: ## Everything that takes too long for the gate; it goes on after a failure
	@start=$$(date +%s); failed=; for target in nginx chromium vet-all race-all fuzz crosscheck foreigntypes foreignschemas openapi interop agents swaps apps page balanced newuser deploy fleet orders worst soak sums goldens; do \
		printf '\n== %s (%ds)\n' $$target $$(($$(date +%s) - start)); \
		$(MAKE) -s $$target || { printf 'nightly: %s failed\n' $$target; failed="$$failed $$target"; }; \
	done; printf '\nnightly %s in %ds\n' "$${failed:+failed at}$${failed:-passed}" $$(($$(date +%s) - start)); [ -z "$$failed" ]

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

.PHONY: release
release: ## Commit and tag the release VERSION=v0.1.0 of all modules that users install, without pushing it
	go run ./internal/lab/release $(VERSION)

.PHONY: tidy
tidy: ## go.mod, go.sum and generated files are what the code says
	$(MAKE) -s mod
	go generate ./...
	git diff --exit-code

.PHONY: sums
sums: ## go.work.sum has every module and package that is needed, also where no module was downloaded before
	rm -rf $(CURDIR)/.tmp/modules
	export GOFLAGS=-modcacherw GOMODCACHE=$(CURDIR)/.tmp/modules && go list -m all >/dev/null && go list -deps -test $(ALL) >/dev/null
	rm -rf $(CURDIR)/.tmp/modules
	git diff --exit-code '*go.mod' '*go.sum' go.work.sum

.PHONY: goldens
goldens: ## The golden files are what make update writes
	$(MAKE) -s update
	git diff --exit-code

$(LINT):
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(BIN)/golangci-lint $@

$(FUMPT):
	GOBIN=$(BIN) go install mvdan.cc/gofumpt@$(GOFUMPT_VERSION)
	mv $(BIN)/gofumpt $@

$(TESTSUM):
	GOBIN=$(BIN) go install gotest.tools/gotestsum@$(GOTESTSUM_VERSION)
	mv $(BIN)/gotestsum $@

.PHONY: testsum
testsum: $(TESTSUM)
	@echo $(TESTSUM)
