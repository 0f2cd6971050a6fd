# Every target sets up its own environment in .venv; nothing but Python 3.11 or newer and make is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

LOWEST := .venv-lowest

.PHONY: demo play test test-slow soak busy lowest fuzz check check-scripts coverage bench format clean

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

# you against a bot, in the browser; Ctrl-C ends it
play: $(VENV)/core
	$(BIN)/arena play

demo: $(VENV)/core
	@rm -rf demo-run
	$(BIN)/arena run --out demo-run --games 5 --set tournament.cycles=2 \
	  --bot greedy="python sample_bots/greedy/bot.py" \
	  --bot random="python sample_bots/random/bot.py" \
	  --bot minimal="python sample_bots/minimal/bot.py" \
	  --bot chance="python sample_bots/random/bot.py"
	@echo "see it as a page: $(BIN)/arena report demo-run"

# One process more than there are cores, since tests wait for bots, clocks and kills. `pytest tests/server` alone runs in
# one process, where a debugger can follow it.
ON_EVERY_CORE := -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal

# -rs: which tests were skipped and why
test: $(VENV)/dev
	$(BIN)/python -m pytest $(ON_EVERY_CORE) -rs

# only files that have slow tests are read, by every process
test-slow: $(VENV)/dev
	$(BIN)/python -m pytest $(ON_EVERY_CORE) -rs -m "slow and not soak" --durations=10 $$(grep -rl --include='test_*.py' 'mark\.slow' tests)

# what takes too long for CI, and properties with twenty times as many examples: run it before an issue is called done
soak: $(VENV)/dev
	$(BIN)/python -m pytest $(ON_EVERY_CORE) -rs -m soak --timeout=7200 --durations=10 $$(grep -rl --include='test_*.py' 'mark\.soak' tests)
	$(BIN)/python -m pytest $(ON_EVERY_CORE) --hypothesis-profile=many $$(grep -rl --include='test_*.py' '^from hypothesis' tests)

# the tests beside six busy processes, as on a laptop that has other work
busy: $(VENV)/dev
	$(BIN)/python -m tests.busy $(ON_EVERY_CORE) -rs

# The tests with the lowest release that pyproject.toml allows of each dependency, in an environment of its own. It takes
# the oldest Python, since old releases of others are not built for the newest.
lowest: $(LOWEST)/dev
	$(LOWEST)/bin/python -m pytest $(ON_EVERY_CORE) -rs $(TESTS)

$(LOWEST)/dev: pyproject.toml
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable '.[dev]'
	@touch $@

# a million frames, files, requests and folders, right, nearly right and rubbish; some minutes
fuzz: $(VENV)/dev
	$(BIN)/python -m tests.fuzz --frames 1000000

# What the pure packages do is shown by their own tests; processes and sockets are not needed for it.
coverage: $(VENV)/dev
	$(BIN)/python -m pytest $(ON_EVERY_CORE) tests/games tests/matches tests/tournaments tests/records tests/protocol --cov

check: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(call if_installed,gofmt,! gofmt -l sample_bots/go | grep .)
	@$(call if_installed,rustfmt,rustfmt --check --edition 2021 sample_bots/rust/src/main.rs)
	@$(call if_installed,clang-format,clang-format --dry-run --Werror sample_bots/c/bot.c)

	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory check-scripts; \
	  else echo 'npm is not installed: the scripts of the pages are unchecked'; fi

# The scripts of the pages: their layout, their types, and what needs no browser. Who uses the arena needs no Node.
check-scripts: node_modules/.package-lock.json
	npm run --silent check
	npm run --silent test

node_modules/.package-lock.json: package.json package-lock.json
	npm ci --silent --no-audit --no-fund
	@touch $@

# Formatters of other languages are asked where they are installed. Their releases may disagree, so no test asks them.
if_installed = if command -v $(1) > /dev/null; then echo '$(1) ...'; $(2); else echo '$(1) is not installed'; fi

bench: $(VENV)/dev
	$(BIN)/python benchmarks/engine.py --quick
	$(BIN)/python benchmarks/referee.py --quick

format: $(VENV)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory node_modules/.package-lock.json && npm run --silent format; fi
	@$(call if_installed,gofmt,gofmt -w sample_bots/go)
	@$(call if_installed,rustfmt,rustfmt --edition 2021 sample_bots/rust/src/main.rs)
	@$(call if_installed,clang-format,clang-format -i sample_bots/c/bot.c)

clean:
	rm -rf node_modules sample_bots/javascript/node_modules sample_bots/*/build sample_bots/*/target
	rm -rf $(VENV) $(LOWEST) build dist .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
