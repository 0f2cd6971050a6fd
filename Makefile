# Every target sets up its own environment in .venv; nothing but Python 3.11 or newer and make is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow check coverage bench format clean

$(VENV)/created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "venv is missing; on Debian: apt-get install python3-venv"; exit 1; }
	@touch $@

$(VENV)/core: $(VENV)/created pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/dev: $(VENV)/created pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/core

demo: $(VENV)/core
	@rm -rf demo-run
	$(BIN)/arena run --out demo-run --games 5 --cycles 2 \
	  --bot greedy="$(BIN)/python sample_bots/greedy/bot.py" \
	  --bot random="$(BIN)/python sample_bots/random/bot.py" \
	  --bot minimal="$(BIN)/python sample_bots/minimal/bot.py" \
	  --bot chance="$(BIN)/python sample_bots/random/bot.py"

test: $(VENV)/dev
	$(BIN)/python -m pytest

test-slow: $(VENV)/dev
	$(BIN)/python -m pytest -m slow

# what the pure packages do is shown by their own tests; processes and sockets are not needed for it
coverage: $(VENV)/dev
	$(BIN)/coverage run -m pytest tests/games tests/matches tests/tournaments tests/records tests/protocol
	$(BIN)/coverage report

check: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) coverage

bench: $(VENV)/dev
	$(BIN)/python benchmarks/engine.py --quick
	$(BIN)/python benchmarks/referee.py --quick

format: $(VENV)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
