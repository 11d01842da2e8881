# The operators' words. Each target is a thin line; the work is in scripts/ and in the tools they name.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/pharos
export CARGO_TARGET_DIR ?= $(CACHE)/target
export UV_PROJECT_ENVIRONMENT := $(CURDIR)/.venv
export UV_PYTHON_DOWNLOADS := never
export PATH := $(CURDIR)/.venv/bin:$(PATH):$(CACHE)/tools

# The operator's own Ansible settings and collections take no part.
export ANSIBLE_CONFIG := $(CURDIR)/ansible.cfg
unexport ANSIBLE_COLLECTIONS_PATH ANSIBLE_COLLECTIONS_PATHS ANSIBLE_ROLES_PATH ANSIBLE_LIBRARY ANSIBLE_ACTION_PLUGINS

STAGE := scripts/stage

# Offline mode leaves out what every other target is for.
$(if $(OFFLINE),$(if $(filter-out deploy-plan help,$(or $(MAKECMDGOALS),help)),\
  $(error OFFLINE=1 is for deploy-plan alone; leave it out for: $(filter-out deploy-plan help,$(MAKECMDGOALS)))))

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install what the other targets need: tools, the bindings and .venv/bin/pharos
	@$(STAGE) setup scripts/setup

# Which architectures the module program is built for; another than the machine's own needs a compiler of 240 MB, fetched once.
modules test dist: ARCHS ?= $(if $(filter x86_64,$(shell uname -m)),x86_64 aarch64,$(shell uname -m))

.PHONY: modules
modules: ## Build the module program for both architectures, or ARCHS=..., and install the collection privately
	@$(STAGE) modules scripts/install-collection $(ARCHS)

.PHONY: own-modules
own-modules:
	@$(STAGE) modules scripts/install-collection $(ARCHS)

.PHONY: demo
demo: demo-notice setup own-modules ## Bring the example site's edge up on a host of this machine (needs root)
	@$(STAGE) demo env PYTHONPATH=tests python -m demo up

.PHONY: demo-notice
demo-notice:
	@env PYTHONPATH=tests python3 -m demo notice

.PHONY: demo-down
demo-down: ## Remove what `make demo` brought up
	@env PYTHONPATH=tests python3 -m demo down

.PHONY: test-tools
test-tools: setup ## Build the Kubernetes programs that the tests run, once a machine
	@$(STAGE) test-tools env PYTHONPATH=tests python -m cluster.tools

# ENV, OFFLINE, INVENTORY, KUBECONFIG, STATE_DIR and PHAROS_PRIVATE_ROOT reach it through the environment.
.PHONY: deploy-plan
deploy-plan: setup ## Say what a deployment would do: make deploy-plan ENV=... [OFFLINE=1]
	@python -m platform_deploy deploy-plan

.PHONY: test
test: setup modules dist test-tools ## Run every test (needs root: boots hosts in network namespaces)
	@$(STAGE) test-packages env PYTHONPATH=tests python -m bed.tools
	@$(STAGE) test-roots env PYTHONPATH=tests python -m bed.roots
	@$(STAGE) test-cores env PYTHONPATH=tests python -m bed.cores
	@$(STAGE) test-rust cargo test --workspace --locked --features pharos-core/real-nginx
	@$(STAGE) test-python scripts/pytest

.PHONY: test-fast
test-fast: setup own-modules ## Run the tests that need neither root nor hosts
	@$(STAGE) test-rust cargo test --workspace --locked
	@$(STAGE) test-python scripts/pytest -m "not hosts and not cluster and not architectures"

.PHONY: lint
lint: setup own-modules ## Run every linter
	@$(STAGE) lint scripts/lint

.PHONY: verify
verify: setup own-modules ## Compare everything that is generated with what is committed
	@$(STAGE) verify scripts/verify

.PHONY: generate
generate: setup ## Write everything that is generated anew: schemas, the list of codes, the modules' pages
	@scripts/generate

.PHONY: bench
bench: setup own-modules ## Measure beside the peers (docs/performance.md)
	@scripts/bench

.PHONY: dist
dist: setup modules ## Make what is published, in dist/: wheel, source archive, collection, bill of materials, digests
	@$(STAGE) dist scripts/dist

.PHONY: docs
docs: ## Build the documentation into docs/book
	@scripts/docs
