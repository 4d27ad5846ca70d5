# Every target does its own set-up, in .venv. It needs a Python from 3.11 on: the first of python3,
# python3.14 … python3.11 and python that is one, or the one given as `make PYTHON=…`.

PYTHON ?=
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
MADE := $(VENV)/.made
APP_READY := $(VENV)/.app-ready
DEV_READY := $(VENV)/.dev-ready
COMPILED := $(VENV)/.compiled
SAMPLES := sample_data/patents/topics.csv
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# What is never imported need not be compiled: half of the time.
INSTALL := $(PIP) install --no-compile
# What a large array leaves is kept for the next one: fetched from the system again, it costs as much as many a computation.
KEEP_MEMORY := MALLOC_MMAP_THRESHOLD_=1073741824 MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_TOP_PAD_=33554432 NUMPY_MADVISE_HUGEPAGE=0
PYTEST := env OMP_NUM_THREADS=1 $(KEEP_MEMORY) PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest --numprocesses logical --dist worksteal
# One more than there are processors, for tests that wait for a process, a disk or a database; with two more they are slower.
ONE_MORE = $$($(BIN)/python -c 'import os; print(1 + int(os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") or os.cpu_count()))')

# Compiled modules are kept (`make clean` removes them) even where the machine says not to: tests start many processes, and
# each would compile everything again.
export PYTHONDONTWRITEBYTECODE :=

.DELETE_ON_ERROR:
.PHONY: help app test in-browser without-browser lint collection deep format bench results site wheel clean
.DEFAULT_GOAL := help

help:
	@echo "make app     serve the dashboard on http://127.0.0.1:$(PORT) (another one: make app PORT=8600)"
	@echo "make test    all checks and tests, those in a real browser included"
	@echo "make lint    ruff and mypy only"
	@echo "make deep    what takes long: new random examples, load, many kills, make test from fresh clones"
	@echo "make format  let ruff lay out the code"
	@echo "make bench   the benchmarks, into docs/benchmarks.md"
	@echo "make results the shipped experiments again, and the pages about them"
	@echo "make site    README and docs as a website, into build/site"
	@echo "make wheel   build the wheel into dist/"
	@echo "make clean   remove what was built, .venv included"

app: $(APP_READY) $(SAMPLES)
	@exec $(BIN)/tarstop app --port $(PORT)

# All three at once: mypy has but one process, and browser tests wait for a page as often as they compute. They come first
# where both want a core, and few at a time: each has a server and a browser beside it.
test: $(DEV_READY)
	@$(MAKE) --no-print-directory --jobs 3 lint in-browser without-browser

without-browser: $(COMPILED)
	@nice -n 5 $(PYTEST) --numprocesses $(ONE_MORE) -m "not deep" --ignore tests/browser

in-browser: $(COMPILED)
	@TARSTOP_BROWSER_TESTS=required $(PYTEST) -m "not deep" --maxprocesses 4 tests/browser

lint: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Workers of pytest-xdist run nothing where they collect different tests, for which one name of a test that holds a time, a set's
# order or a temporary path is enough. So two collections in unlike surroundings must find the same tests in the same order.
collection: $(DEV_READY)
	@set -e; folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; mkdir $$folder/one $$folder/two; \
	collect="$(BIN)/python -m pytest --collect-only --quiet -p no:cacheprovider"; \
	PYTHONHASHSEED=1 TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 TMPDIR=$$folder/one $$collect > $$folder/first || { cat $$folder/first; exit 1; }; \
	sleep 2; \
	PYTHONHASHSEED=2 TZ=America/Los_Angeles LC_ALL=C TMPDIR=$$folder/two $$collect > $$folder/second || { cat $$folder/second; exit 1; }; \
	for each in first second; do grep "::" $$folder/$$each > $$folder/$$each.tests; done; \
	diff $$folder/first.tests $$folder/second.tests; \
	echo "The same tests when collected again."

# The clones are of what is committed.
deep: $(DEV_READY) collection
	@$(PYTEST) -m "deep or hypothesis" --hypothesis-profile deep --ignore tests/browser
	@TARSTOP_BROWSER_TESTS=required $(PYTEST) -m deep --maxprocesses 4 tests/browser
	@$(BIN)/python -m tests.mutation
	@set -e; for workers in 2 4; do \
		clone=$$(mktemp -d); \
		git clone --quiet . "$$clone/tarstop"; \
		PYTEST_XDIST_AUTO_NUM_WORKERS=$$workers $(MAKE) -C "$$clone/tarstop" test; \
		rm -rf "$$clone"; \
	done

format: $(DEV_READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(DEV_READY)
	@$(BIN)/python -m scripts.study benchmarks && cat docs/benchmarks.md

# Real collections are run where TARSTOP_REAL_DATA names them. Interrupted, it goes on where it was.
results: $(DEV_READY)
	@$(BIN)/python scripts/make_results.py
	@$(BIN)/python scripts/make_variations.py
	@$(BIN)/python -m scripts.study results grlstop

site: $(APP_READY)
	@$(INSTALL) -r docs/site/requirements.txt
	@$(BIN)/python -m sphinx -q -W -c docs/site . build/site
	@echo "Open build/site/index.html"

wheel: $(DEV_READY) $(SAMPLES)
	@rm -rf dist
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist . >/dev/null
	@ls dist/*.whl

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(SAMPLES):
	@echo "$@ is missing; get it back with 'git checkout sample_data' or make it with '$(BIN)/python -m scripts.make_samples'." >&2; exit 1

# The stamps are remade when a file that decides what is installed has changed.
$(MADE): Makefile
	@set -e; \
	fits() { "$$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }; \
	if ! fits $(BIN)/python; then \
		chosen=; \
		for candidate in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 python; do \
			if fits "$$candidate"; then chosen="$$candidate"; break; fi; \
		done; \
		if [ -z "$$chosen" ]; then \
			echo "TARstop needs Python 3.11 or newer and none was found; install one, or name it: make PYTHON=/path/to/python3." >&2; \
			exit 1; \
		fi; \
		echo "Setting up $(VENV) with $$("$$chosen" --version) (once) …"; \
		if ! "$$chosen" -m venv --clear $(VENV) >/dev/null 2>&1; then \
			rm -rf $(VENV); \
			echo "$$chosen cannot make a virtual environment; install its venv module (on Debian and Ubuntu: apt-get install python3-venv)." >&2; \
			exit 1; \
		fi; \
	fi
	@touch $@

$(APP_READY): $(MADE) requirements.txt pyproject.toml
	@$(INSTALL) -r requirements.txt --editable .
	@touch $@

# Two processes unpack what is pinned, and work out nothing; where something is missing all the same, one does both.
$(DEV_READY): $(MADE) requirements.txt requirements-dev.txt pyproject.toml
	@grep -v '^-r ' requirements-dev.txt > $(VENV)/only-dev.txt
	@$(INSTALL) --no-deps -r requirements.txt & other=$$!; \
	$(INSTALL) --no-deps -r $(VENV)/only-dev.txt; own=$$?; wait $$other && exit $$own
	@$(PIP) check >/dev/null || $(INSTALL) -r requirements-dev.txt
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $(APP_READY) $@

# One process compiles what is imported, beside mypy: else each of those that run the tests would, at the same time.
$(COMPILED): $(DEV_READY)
	@$(BIN)/python -m pytest --collect-only --quiet >/dev/null || true
	@touch $@
