# Northgate. `make` alone tells what there is. Everything a target needs, it gets: packages from the npm registry
# (a Node 24 among them), and an OVN from this machine or, without root, from its apt mirror into .cache/.

SHELL := /bin/bash
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

# What is downloaded stays in the clone; scripts/support/caches.ts says the rest.
export npm_config_cache ?= $(CURDIR)/.cache/npm

INSTALLED := node_modules/.installed
BENCH := .cache/bench/.built
BUILT := dist/.built
SOURCES := $(shell find src -name '*.ts' -not -name '*.test.ts' 2>/dev/null)

# For tsc, npm and prettier, which would keep compiled code in /tmp. Not for the program: it compiles as users' do.
$(INSTALLED) $(BUILT) $(BENCH) audit format: export NODE_COMPILE_CACHE := $(CURDIR)/.cache/node-compile-cache

# As scripts/support/caches.ts has them.
GO_CACHES := GOCACHE=$${GOCACHE:-$(CURDIR)/.cache/go/build} GOMODCACHE=$${GOMODCACHE:-$(CURDIR)/.cache/go/mod}

.PHONY: help demo up down status cluster cluster-down cluster-faults alerts test check audit image release package release-check proof same upgrade matrix mutants bench figures faults soak conformance profile build metrics pictures format clean

help: ## this list
	@echo "Northgate: cluster-wide network policy for OVN"
	@echo
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Not `npm ci`: it refuses the lock file where a registry lacks other platforms' optional packages.
$(INSTALLED): package.json package-lock.json
	@echo "installing packages (about half a minute the first time)"
	@npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	@npm rebuild node --no-audit --no-fund --loglevel=error >/dev/null
	@node -e 'process.exit(+process.versions.node.split(".")[0] >= 22 ? 0 : 1)' || \
	  { echo "the npm package 'node' did not bring Node 24; install Node >= 22.19 and try again" >&2; exit 1; }
	@touch $@

$(BUILT): $(INSTALLED) tsconfig.json tsconfig.build.json scripts/support/bundling.ts $(SOURCES)
	@rm -rf dist && npm run --silent build && touch $@

build: $(BUILT) ## compile to dist/, which `npx northgate` runs

demo: $(BUILT) ## the tour: a private OVN, a small cluster, its policies, what they do to packets; ends by itself
	@node scripts/demo.ts

up: $(BUILT) ## the same cluster, kept running to play with; KUBE=1: on a real API server, with a kubeconfig; METRICS_PORT=9477: where its metrics are
	@$(if $(KUBE),$(if $(KUBEBUILDER_ASSETS),,$(GO_CACHES) e2e/controlplane/build.sh))
	@KUBE=$(KUBE) METRICS_PORT=$(METRICS_PORT) node scripts/playground.ts up

down: $(INSTALLED) ## end what `make up` started; files that you have changed stay
	@node scripts/playground.ts down

status: $(INSTALLED) ## say what runs
	@node scripts/playground.ts status

cluster: $(BUILT) ## two nodes with kubelets and containers, and Northgate as a Deployment on them, kept running; needs root; INSTALL=none: without Northgate
	@$(GO_CACHES) INSTALL=$(INSTALL) node scripts/cluster.ts up

cluster-down: $(INSTALLED) ## end what `make cluster` started
	@node scripts/cluster.ts down

check: $(INSTALLED) ## types, lint, layers, unused code, format, words of the documentation
	@node scripts/test.ts check

test: $(BUILT) ## the checks, then the tests, on real parts, as CI runs them; LONG=yes: every test, and more tries
	@node scripts/test.ts

audit: $(INSTALLED) ## licences and advisories of what a production install brings
	@node scripts/audit.ts

image: $(INSTALLED) ## write the image as an OCI archive into .cache/release, without a container engine
	@node scripts/oci-image.ts

release: $(BUILT) ## all that a release has, with sums and where it comes from, into .cache/release: make release [KEY=FILE]; KEY signs it
	@node scripts/release.ts $(if $(KEY),--key "$(KEY)")

package: $(BUILT) ## pack kubectl's plugin into .cache/release, with its manifest for krew and the archive's sum
	@node scripts/package.ts

release-check: $(BUILT) ## pack both npm packages, install each in an empty folder, try what they do; says their sizes
	@node scripts/release-check.ts

proof: $(INSTALLED) ## judge more random worlds: make proof WORLDS=5000 [SEED=…] [NETWORK_POLICY=ours] [ANTREA=yes] [CALICO=yes] [NAMES=yes] [SAMPLES=yes] [BACKEND=iptables]; HELP=1 says more
	@node scripts/proof.ts $(if $(HELP),--help)

same: $(BUILT) ## whether this build answers as another one does: make same BASE=<commit> [WORLDS=1000] [TAKEOVERS=40] [SEED=…]
	@BASE=$(BASE) WORLDS=$(WORLDS) TAKEOVERS=$(TAKEOVERS) SEED=$(SEED) node scripts/same.ts

upgrade: $(BUILT) ## from another commit's build to this one and back, on real parts: make upgrade [BASE=<commit>]; HELP=1 says more
	@$(GO_CACHES) node faults/upgrade/main.ts $(if $(HELP),--help)

matrix: $(INSTALLED) ## the suites that matter on other versions: make matrix [K8S=1.32,1.36] [OVN=sid]; HELP=1 says more
	@$(GO_CACHES) node e2e/matrix/main.ts $(if $(HELP),--help)

mutants: $(INSTALLED) ## plant mistakes and see who catches them, half an hour: make mutants [ONLY=name] [JUDGES=unit,…] [OUT=file]
	@ONLY=$(ONLY) JUDGES=$(JUDGES) OUT=$(OUT) node scripts/mutants.ts

$(BENCH): $(INSTALLED) tsconfig.json bench/tsconfig.json $(SOURCES) $(shell find bench -name '*.ts')
	@tsc -p bench/tsconfig.json && touch $@

bench: $(BENCH) $(if $(filter exec commands names observe ui,$(FROM) $(W)),$(BUILT)) ## measure the controller against the floor: make bench [W=W1,W2] [MODE=node] [EVENTS=pod,…] [CHASSIS=1] [FROM=exec]; W=plan times plans, W=commands each command on a large cluster, W=ui the page, W=observe what observing costs a node, W=names names of domains, W=peer PEER=DIR beside OVN-Kubernetes; HELP=1 says more
	@NORTHGATE_TEST_PROGRAM=$(CURDIR)/dist/main.js node $(if $(filter commands filter names northd observe peer plan shapes ui,$(W)),bench/$(W).ts,$(if $(filter exec,$(FROM)),bench/exec.ts,bench/main.ts)) $(if $(HELP),--help)

figures: $(INSTALLED) $(if $(filter exec,$(FROM)),$(BUILT)) ## write docs/performance-figures.md from results: make figures FROM=bench/results/W1+W2-central.json; FROM="P-1.json P-2.json P-3.json": of W=P alone; FROM=exec: measure from exec three times and write docs/performance.md
	@node $(if $(filter exec,$(FROM)),bench/exec-figures.ts $(if $(HELP),--help),bench/figures.ts $(FROM))

soak: $(INSTALLED) ## changes and faults for half an hour, memory must stay flat: make soak [SOAK=90s]; W=replicas, two on thousands of policies; HELP=1 says more
	@node soak/$(if $(filter replicas,$(W)),$(W),main).ts $(if $(HELP),--help)

faults: $(INSTALLED) ## kill, stop and cut everything off, judge every state: make faults [COUNT=200] [ONLY=…] [OUT=file]; HELP=1 says more
	@node faults/main.ts $(if $(HELP),--help)

alerts: $(INSTALLED) ## make each alert fire on a real Prometheus, and clear: make alerts [ONLY=…]; HELP=1 says more
	@$(GO_CACHES) node faults/alerts/main.ts $(if $(HELP),--help)

cluster-faults: $(INSTALLED) ## end, update and drain replicas and nodes of a real cluster, and count connections: make cluster-faults [COUNT=10] [ONLY=…]; HELP=1 says more
	@$(GO_CACHES) node e2e/cluster/faults/main.ts $(if $(HELP),--help)

conformance: $(BUILT) ## the suites of the field, unmodified, on a cluster here: make conformance [SUITE=anp|cnp|netpol|cyclonus] [CLUSTER=real]; HELP=1 says more
	@node e2e/conformance/run.ts $(if $(HELP),--help)

profile: $(BENCH) ## where the controller's time and memory go in pod events: make profile [W=W2]
	@node bench/profile.ts

metrics: $(INSTALLED) ## write docs/metrics.md's reference and the dashboard from their tables
	@node scripts/metrics-doc.ts

pictures: $(BUILT) ## the pictures of the documentation: of the page, from the test that opens each view, and docs/img/dashboard.svg, for which a real Prometheus reads two instances for five minutes: make pictures [W=page|dashboard]
ifneq ($(W),dashboard)
	@rm -rf .cache/pictures
	@NORTHGATE_PICTURES=.cache/pictures NORTHGATE_TEST_PROGRAM=$(CURDIR)/dist/main.js NODE_OPTIONS='--experimental-vm-modules --no-warnings' jest --ci test/ui/looks.test.ts
	@for picture in docs/images/ui-*.png; do picture=.cache/pictures/$${picture##*/}; cp "$$picture" "$${picture%.png}.txt" docs/images/ || exit 1; done
endif
ifneq ($(W),page)
	@node scripts/metrics-pictures.ts
endif

format: $(INSTALLED) ## rewrite the files as the format check wants them
	@npm run --silent format:write

clean: ## remove what was built and fetched
	@[ ! -e .cache/sandbox ] || $(MAKE) --no-print-directory down
	@[ ! -e .cache/go ] || chmod -R u+w .cache/go # Go's modules are read-only
	rm -rf dist node_modules .cache
