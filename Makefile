# Every target sets up its own environment in .venv; nothing but Python 3.11 or newer and make is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

COMPILED := .venv-compiled
# the tests of what is compiled, for nothing else can differ; all that can run:
# make test-compiled COMPILED_TESTS="tests --ignore tests/test_house.py"
COMPILED_TESTS ?= tests/matches tests/cli/test_new.py \
  $(addprefix tests/games/test_,against_reference.py properties.py verdicts.py) \
  $(addprefix tests/records/test_,dice.py lines.py replay.py resumed.py) \
  $(addprefix tests/protocol/test_,codec.py connection.py golden.py window.py) \
  $(addprefix tests/server/test_,bad_input.py calls.py chaos.py clocks.py deadlines.py link.py login.py manners.py \
    pairs.py play.py return.py tls.py trace.py window.py) \
  $(addprefix tests/end_to_end/test_,faults.py remote_bots.py)

.PHONY: demo test test-slow fuzz check coverage bench compiled test-compiled format clean

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
	@echo "see it as a page: $(BIN)/arena report demo-run"

# One process more than there are cores, since tests wait for bots, clocks and kills. `pytest tests/server` alone runs in
# one process, where a debugger can follow it.
ON_EVERY_CORE := -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal

# -rs: which tests were skipped and why, for instance those of the sample bot in a language that is not installed here
test: $(VENV)/dev
	$(BIN)/python -m pytest $(ON_EVERY_CORE) -rs

test-slow: $(VENV)/dev
	$(BIN)/python -m pytest $(ON_EVERY_CORE) -rs -m slow --durations=10

# The faster arena (docs/running-a-tournament.md), in an environment of its own: $(COMPILED)/bin/arena. It needs a C
# compiler. It is built from a copy, since mypyc puts what it makes beside the sources, where Python would find it from
# then on; and it is tested from another copy, where `import arena` can only find what was installed.
compiled: $(COMPILED)/created

$(COMPILED)/created: pyproject.toml $(shell find arena protocol -name '*.py') $(shell find sample_bots -maxdepth 2 -type f)
	rm -rf build/compiled
	mkdir -p build/compiled/source
	cp -r pyproject.toml README.md LICENSE arena protocol sample_bots build/compiled/source
	$(PYTHON) -m venv $(COMPILED)
	HATCH_BUILD_HOOK_ENABLE_MYPYC=1 $(COMPILED)/bin/pip wheel --quiet --disable-pip-version-check --no-deps \
	  --wheel-dir build/compiled build/compiled/source
	$(COMPILED)/bin/pip install --quiet --disable-pip-version-check build/compiled/*.whl
	@# again, since pip takes a wheel of the same version for the one it has
	$(COMPILED)/bin/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/compiled/*.whl
	@touch $@

$(COMPILED)/dev: $(COMPILED)/created
	$(COMPILED)/bin/pip install --quiet --disable-pip-version-check "$$(echo build/compiled/*.whl)[dev]"
	@touch $@

test-compiled: $(COMPILED)/dev
	rm -rf build/compiled/tests
	mkdir build/compiled/tests
	cp -r pyproject.toml README.md docs sample_bots tests build/compiled/tests
	cd build/compiled/tests && $(CURDIR)/$(COMPILED)/bin/python -m pytest $(ON_EVERY_CORE) \
	  -m 'not slow and not interpreted' $(COMPILED_TESTS)

# a million frames, right, nearly right and rubbish; some minutes
fuzz: $(VENV)/dev
	$(BIN)/python -m tests.fuzz --frames 1000000

# What the pure packages do is shown by their own tests; processes and sockets are not needed for it. CI measures it in
# `make test`, which it runs anyway.
coverage: $(VENV)/dev
	$(BIN)/python -m pytest $(ON_EVERY_CORE) tests/games tests/matches tests/tournaments tests/records tests/protocol --cov

check: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/dev
	$(BIN)/python benchmarks/engine.py --quick
	$(BIN)/python benchmarks/referee.py --quick

format: $(VENV)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf sample_bots/javascript/node_modules sample_bots/*/build sample_bots/*/target
	rm -rf $(VENV) $(COMPILED) build dist .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
