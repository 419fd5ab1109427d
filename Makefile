# fmlbench: `make bench` runs a demonstration, `make test` is what CI runs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
# One thread per process: tests run in parallel, and the number of threads changes results.
export OMP_NUM_THREADS := 1
PAGES := README.md CONTRIBUTING.md CHANGELOG.md docs benchmarks/results

.PHONY: bench test check setup format test-long test-engines test-graphcodebert test-local-model redteam

bench: setup
	@$(BIN)/fmlbench bench --suite quick

test: check
	@scripts/install-browser
	$(BIN)/pytest -m "not long and not engines" --numprocesses 2 --dist worksteal

check: setup $(TOOLS)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python scripts/check_words.py
	$(BIN)/mdformat --check $(PAGES)
	$(BIN)/python docs/generate.py --check
	$(BIN)/python docs/study_page.py --check

setup: $(READY)
	@scripts/install-sandbox

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --retries 10 --editable .
	@touch $(READY)

$(TOOLS): $(READY)
	$(BIN)/pip install --quiet --retries 10 --editable '.[dev]'
	@touch $(TOOLS)

format: setup $(TOOLS)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/mdformat $(PAGES)

redteam: setup
	$(BIN)/fmlbench redteam toy

# Ray is large, so it has a separate environment; SLURM comes from the distribution.
test-engines:
	scripts/install-sandbox
	scripts/install-slurm
	$(PYTHON) -m venv build/engines
	build/engines/bin/pip install --quiet --retries 10 --editable '.[dev,ray]'
	build/engines/bin/pytest -m engines -s tests/engines

# PyTorch is large, too; the pinned release has a CPU build.
test-graphcodebert:
	$(PYTHON) -m venv build/graphcodebert
	build/graphcodebert/bin/pip install --quiet --retries 10 torch==2.13.0 transformers --editable '.[dev]'
	build/graphcodebert/bin/pytest tests/unit/metrics/test_graphcodebert.py

# A local language model does research; takes hours on a CPU, and resumes after an interruption.
test-local-model:
	scripts/install-sandbox
	$(PYTHON) -m venv build/local-model
	build/local-model/bin/pip install --quiet --retries 10 --editable '.[local]'
	build/local-model/bin/fmlbench models fetch local/qwen2.5-coder-1.5b
	build/local-model/bin/python benchmarks/local_model.py

test-long: setup $(TOOLS)
	$(BIN)/pytest -m long
