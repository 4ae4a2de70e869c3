# Needs Python 3.11 or later (with pip and venv) and make. Everything else is installed into .venv from hashed locks.
# `make` alone lists the targets.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run check test test-full audit bench lint lock sbom advisories release reader lowest images site clean chromium spark flower

PYTHON ?= python3
# Of tests at the same time: one more than two processors, for some wait for a browser or for another process.
WORKERS ?= 3
UPGRADE ?=
DB ?=

VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
DEVELOPMENT := $(VENV)/.development
SPARK := $(VENV)/.spark
SITE := $(VENV)/.site
FLOWER := adapters/flower/.venv
SBOM := build/sbom.cdx.json
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --only-binary :all: --no-deps --require-hashes
# Runs a command and says each 10 seconds how far it is: $(1) the command, $(2) the file of what it installs.
told = { $(1) & job=$$!; passed=0; had=$$(ls -d $(VENV)/lib/python*/site-packages/*.dist-info 2>/dev/null | wc -l); \
	while kill -0 $$job 2>/dev/null; do sleep 1; passed=$$((passed + 1)); [ $$((passed % 10)) -ne 0 ] || { \
	has=$$(ls -d $(VENV)/lib/python*/site-packages/*.dist-info 2>/dev/null | wc -l); \
	[ $$has -eq $$had ] && echo "  $$passed s: downloading" || \
	echo "  $$passed s: installing, $$has of about $$(grep -c == $(2)) packages are there"; }; done; wait $$job; }
PYTEST := $(BIN)/python -m tests.compiled && $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
COMPILE := UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --no-config --universal --generate-hashes \
	--python-version 3.11 --fork-strategy fewest --override requirements-left-out.txt $(if $(UPGRADE),--upgrade)

# Hundreds of processes of the tests load the same modules: they are compiled once, wherever that is switched off.
unexport PYTHONDONTWRITEBYTECODE

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(RUNTIME) ## install, prepare a workspace with sample data, and serve the dashboard on 127.0.0.1
	$(BIN)/python -m dprelease demo
	$(BIN)/python -m dprelease serve

check: lint ## check style, format and types, and run the tests marked quick
	$(PYTEST) -m "quick and not full"

test: $(DEVELOPMENT) chromium ## run the tests, the browser included
	$(PYTEST) -m "not full"

test-full: $(DEVELOPMENT) chromium flower $(SITE) $(if $(shell command -v java 2>/dev/null),spark) ## run every test, the long ones included
	$(PYTEST)
	$(BIN)/python -m tests.mutants.run

audit: $(DEVELOPMENT) ## audit the privacy of every statistic by draws and write docs/audit.md (half an hour and more)
	$(BIN)/python -m tests.privacy.report --workers $(WORKERS)

bench: $(DEVELOPMENT) ## measure speed and memory beside other libraries and write docs/performance.md (an hour and more)
	$(BIN)/python -m benchmarks.speed --write

lint: $(DEVELOPMENT) ## check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

lock: $(DEVELOPMENT) ## write the locks again from pyproject.toml (UPGRADE=1 also moves to the newest versions)
	$(COMPILE) --extra all pyproject.toml --output-file requirements.txt
	$(COMPILE) --extra all --extra dev --constraint requirements.txt pyproject.toml --output-file requirements-dev.txt
	$(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['spark'], sep='\n')" | \
		$(COMPILE) --constraint requirements.txt - --output-file requirements-spark.txt
	$(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['site'], sep='\n')" | \
		$(COMPILE) --constraint requirements-dev.txt - --output-file requirements-site.txt
	$(COMPILE) adapters/flower/pyproject.toml --output-file adapters/flower/requirements.txt

sbom: $(DEVELOPMENT) ## write build/sbom.cdx.json, a bill of materials (CycloneDX) of the hashed lock
	@mkdir -p $(dir $(SBOM))
	$(BIN)/cyclonedx-py requirements requirements.txt --pyproject pyproject.toml --output-reproducible --of JSON -o $(SBOM)

advisories: $(DEVELOPMENT) ## compare the locks with the advisories in DB=folder (OSV files that you bring; nothing is fetched)
	@test -n "$(DB)" || { echo "Say where the advisories are: make advisories DB=folder" >&2; exit 2; }
	$(BIN)/python -m tests.supply.advisories $(DB) requirements.txt requirements-dev.txt requirements-site.txt requirements-spark.txt adapters/flower/requirements.txt

release: $(DEVELOPMENT) ## build wheel, source distribution and bill of materials of the commit into dist/ (uploads nothing)
	$(BIN)/python -m tests.supply.release

lowest: $(DEVELOPMENT) ## try the oldest libraries that are allowed, in build/lowest (1.1 GB): README's block and the core's quick tests
	$(BIN)/python -m tests.supply.lowest

reader: $(DEVELOPMENT) ## build the wheel of dprelease-reader into dist/: the modules that reading takes, under its name
	$(BIN)/python -m tests.supply.reader

images: $(DEVELOPMENT) chromium ## take the pictures in docs/images and docs/guide/images again
	$(BIN)/python -m tests.browser.screenshots
	$(BIN)/python -m tests.browser.guide_pictures

site: $(SITE) ## write the documentation in both languages, its notebooks run, to build/site/ (offline; nothing is fetched by its pages)
	$(BIN)/python -m manual.build

clean: ## remove the environment, caches and builds; workspaces stay
	rm -rf $(VENV) $(FLOWER) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

spark: $(SPARK) ## install the client of Apache Spark too (450 MB; needs Java 17 or later)

flower: $(FLOWER)/.installed ## install the adapter for Flower too, into an environment of its own (300 MB)

chromium: $(DEVELOPMENT)
	@$(BIN)/python tests/browser/install_chromium.py

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed. If it has another name: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(RUNTIME): requirements.txt | $(BIN)/python
	@echo "Installing what dprelease needs (a minute, the first time)"
	@$(call told,$(INSTALL) -r requirements.txt,requirements.txt)
	@touch $@

$(DEVELOPMENT): requirements.txt requirements-dev.txt | $(BIN)/python
	@echo "Installing what dprelease and its tests need (a minute or two, the first time)"
	@$(call told,$(INSTALL) -r requirements-dev.txt,requirements-dev.txt)
	@touch $@ $(RUNTIME)

# The client of Spark is published as source only, and is built with what is installed here already.
$(SPARK): requirements-spark.txt | $(DEVELOPMENT)
	@echo "Installing the client of Apache Spark (some minutes, the first time)"
	@$(INSTALL) --no-binary pyspark --no-build-isolation -r requirements-spark.txt
	@touch $@

$(SITE): requirements-site.txt | $(DEVELOPMENT)
	@echo "Installing what the documentation site is made with (some seconds, the first time)"
	@$(INSTALL) -r requirements-site.txt
	@touch $@

# Flower asks for older versions of what dprelease has, so that neither can be in the other's environment.
$(FLOWER)/.installed: adapters/flower/requirements.txt | $(BIN)/python
	@echo "Installing the adapter for Flower (a minute or some, the first time)"
	@$(PYTHON) -m venv $(FLOWER)
	@$(FLOWER)/bin/python -m pip install --quiet --disable-pip-version-check --no-input --only-binary :all: --no-deps --require-hashes -r $<
	@touch $@
