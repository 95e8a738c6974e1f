# The two commands a newcomer needs: `make run` and `make test`. Both install into .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: run test install clean

run: install
	$(BIN)/gra-bench run

test: install
	$(BIN)/python -m pytest

install: $(STAMP)

$(STAMP): requirements-dev.txt constraints.txt pyproject.toml $(wildcard gra_*/pyproject.toml plugins/*/pyproject.toml)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) hatchling editables
	$(PIP) --no-build-isolation -r requirements-dev.txt
	touch $(STAMP)

clean:
	rm -rf $(VENV) runs .pytest_cache .mypy_cache .ruff_cache
