# make run     the dashboard with the sample runs; PORT=8601 DATA=folder WORKSPACE=folder NEW_TOKEN=1
# make test    everything that CI checks but the tests on Apache Spark; SPARK=1 with them
# make thorough   further cases of what those tests show, and all random ones (minutes)
# make coverage   which lines of metrics_core its tests run (CONTRIBUTING.md has the figure)
# make docs    docs/measures.md, docs/formats.md and what docs/tutorial.ipynb shows; build/api, the Python interface from its docstrings, by
#              pdoc: one small package that needs no configuration, where mkdocstrings needs MkDocs and a theme
# make lock    resolve the lists again: pyproject.toml, requirements.txt, requirements-dev.in and requirements-spark.in
# make bench   speed and memory against the peers, by rows, and of the pages, in a browser too (ten minutes)
# make release build the wheel and the sdist in dist/, check both, run README's commands with each Python that is found
# make lowest  the core's tests on the lowest versions that pyproject.toml allows
# make fuzz    mutated files through every reader, for an hour; MINUTES=5 SEED=1

PYTHON ?= python3
PORT ?= 8501
DATA ?=
MINUTES ?= 60
SEED ?=
WORKSPACE ?=
NEW_TOKEN ?=
SPARK ?=
BIN = .venv/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes
RESOLVE = UV_NO_CONFIG=1 $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-emit-index-url --no-annotate --no-header

# Hundreds of processes import the same modules: compiled where they are first needed, and kept.
export PYTHONDONTWRITEBYTECODE =
# What is compiled for this machine is compiled while pip brings the rest.
MAKEFLAGS += --jobs=2

.PHONY: run test thorough coverage docs lock bench release lowest fuzz clean

run: .venv/run.stamp
	@exec $(BIN)/python -m dashboard --port "$(PORT)" $(if $(DATA),--data "$(DATA)") $(if $(WORKSPACE),--workspace "$(WORKSPACE)") $(if $(NEW_TOKEN),--new-token)

# Three on two cores: tests that wait for a browser or a server leave one free.
test: .venv/run.stamp .venv/test.stamp $(if $(SPARK),.venv/spark.stamp)
	$(BIN)/python -m tests.browser.install
	$(if $(SPARK),$(BIN)/python -m tests.spark.install)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy & types=$$!; \
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 3 --dist worksteal; \
	tests=$$?; wait $$types && exit $$tests

thorough: .venv/run.stamp .venv/test.stamp
	RANKLENS_THOROUGH=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m "thorough or random or hypothesis"

coverage: .venv/run.stamp .venv/test.stamp
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term tests/metrics_core

.venv/run.stamp: .venv/installed.stamp
	$(BIN)/python -m metrics_core prepare
	@touch $@

.venv/installed.stamp: requirements.lock
	$(PYTHON) -c 'import sys; sys.exit("Ranklens needs Python 3.11 or newer.") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(PIP) -r requirements.lock
	@touch $@

.venv/test.stamp: .venv/installed.stamp requirements-dev.lock
	$(PIP) -r requirements-dev.lock
	@touch $@

.venv/spark.stamp: .venv/test.stamp requirements-spark.lock
	$(PIP) -r requirements-spark.lock
	@touch $@

docs: .venv/run.stamp .venv/test.stamp
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/api.py
	$(BIN)/python docs/tutorial.py

lock:
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet uv
	$(RESOLVE) pyproject.toml --extra app -o requirements.lock
	$(RESOLVE) -c requirements.lock requirements.txt requirements-dev.in -o requirements-dev.lock
	$(RESOLVE) -c requirements-dev.lock requirements-spark.in -o requirements-spark.lock

bench: .venv/run.stamp .venv/test.stamp
	$(BIN)/python -m tests.browser.install
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks.cost_by_rows
	$(BIN)/python -m benchmarks.page_changes
	$(BIN)/python -m benchmarks.page_paint

release: .venv/run.stamp .venv/test.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check twine
	$(BIN)/python -m tests.packaging.release

lowest:
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct --only-binary :all: -r requirements.txt
	.venv-lowest/bin/python -m pytest tests/metrics_core

fuzz: .venv/run.stamp .venv/test.stamp
	$(BIN)/python -m tests.reliability.fuzz --minutes "$(MINUTES)" $(if $(SEED),--seed "$(SEED)")

clean:
	rm -rf .venv .venv-lowest build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis test-artifacts
