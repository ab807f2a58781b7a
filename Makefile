# Every target does its own set-up. All it needs is make and python3 (3.11 to 3.14) with venv.

PYTHON ?= python3
JOBS   ?= 2
BIN    := .venv/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# The tests start many processes, each of which would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-all test-long lint format bench docs docs-check keras-tests fuzz clean

help:
	@echo "make demo        train a small classifier; why None, where NaN, what a tape keeps: all of it in a minute"
	@echo "make test        the suite: tests, docstrings, specification, documentation"
	@echo "make test-all    make test, then what takes longer (make test-long): tests marked 'long', all of Keras' own tests,"
	@echo "                 and tests of numbers on a machine that rounds otherwise"
	@echo "make lint        formatting, lint rules, types"
	@echo "make docs        build the documentation into build/site; a broken link is an error"
	@echo "make docs-check  run every code block of the documentation, and the tutorials"
	@echo "make bench       measure tapeflow next to its peers (installs them under .bench/; BENCH=--quick for a smoke run)"
	@echo "make keras-tests Keras' own tests on tapeflow, all of them (ten minutes; make test runs a part)"
	@echo "make fuzz        random calls of every function, compared across interpretations (SECONDS=60 SEED=7; see fuzz/README.md)"
	@echo "make format      rewrite the code the way make lint wants it"
	@echo "make clean       remove everything the targets above created"

demo: .venv/.viz
	@$(BIN)/python -m tapeflow demo

# The short tests compile in a hurry; the long ones as users do.
test: .venv/.dev
	@XLA_FLAGS="--xla_backend_optimization_level=0 $$XLA_FLAGS" $(BIN)/python -m pytest -q -n $(JOBS)

test-all: test test-long

test-long: .venv/.dev
	@$(BIN)/python -m pytest -q -n $(JOBS) -m long tests
	@$(BIN)/python scripts/keras_tests.py --long -n $(JOBS)
	@$(BIN)/python scripts/perturb.py -n $(JOBS) --on rounding,SkylakeX,Nehalem

lint: .venv/.dev
	@$(BIN)/ruff format --check --quiet . > /dev/null || { echo "Some files are not formatted: make format"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/python scripts/check_types.py

# Not --quiet: warnings that are not shown do not count, and the build would not be strict.
docs: .venv/.docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

docs-check: .venv/.dev
	@$(BIN)/python scripts/docs_check.py
	@$(BIN)/python scripts/notebooks.py

keras-tests: .venv/.dev
	@$(BIN)/python scripts/keras_tests.py --full -n $(JOBS)

fuzz: .venv/.dev
	@$(BIN)/python -m fuzz --seconds $(or $(SECONDS),60) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

bench: .venv/.viz
	@$(BIN)/python -m benchmarks $(BENCH)

format: .venv/.dev
	@$(BIN)/ruff check --quiet --fix . ; $(BIN)/ruff format --quiet .

clean:
	rm -rf tapeflow/engines/native/libraries .venv .bench .pytest_cache .ruff_cache .mypy_cache .hypothesis build *.egg-info

# ---- environments: a stamp file for each set of extras, made again when pyproject.toml or the C library changes

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tapeflow needs Python 3.11 or later: make PYTHON=python3.12 ...")'
	@echo "Creating .venv with $$($(PYTHON) -V) ..."
	@$(PYTHON) -m venv .venv

.venv/.%: pyproject.toml setup.py $(wildcard tapeflow/engines/native/source/*) | $(BIN)/python
	@echo "Installing tapeflow[$*] into .venv ..."
	@$(PIP) --editable '.[$*]'
	@touch $@
