# fmlbench: `make bench` shows it at work, `make test` is what CI runs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
# One thread per process: tests run beside each other, and thread counts change results.
export OMP_NUM_THREADS := 1

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

redteam: setup
	$(BIN)/fmlbench redteam toy

# Ray is large, so it gets an environment of its own; SLURM comes from the distribution.
test-engines:
	scripts/install-sandbox
	scripts/install-slurm
	$(PYTHON) -m venv build/engines
	build/engines/bin/pip install --quiet --retries 10 --editable '.[dev,ray]'
	build/engines/bin/pytest -m engines -s tests/engines

# PyTorch is large, too, and a pinned release is the one that comes as a CPU build.
test-graphcodebert:
	$(PYTHON) -m venv build/graphcodebert
	build/graphcodebert/bin/pip install --quiet --retries 10 torch==2.13.0 transformers --editable '.[dev]'
	build/graphcodebert/bin/pytest tests/unit/metrics/test_graphcodebert.py

# A language model on this machine does research for real; it takes hours on a CPU, and goes on where it was stopped.
test-local-model:
	scripts/install-sandbox
	$(PYTHON) -m venv build/local-model
	build/local-model/bin/pip install --quiet --retries 10 --editable '.[local]'
	build/local-model/bin/fmlbench models fetch local/qwen2.5-coder-1.5b
	build/local-model/bin/python benchmarks/local_model.py

test-long: setup $(TOOLS)
	$(BIN)/pytest -m long
