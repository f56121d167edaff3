# Two commands from nothing: `make demo` and `make test`. Both set up .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Relative, because pip splits the value at spaces; it holds for the build's own tools too.
export PIP_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

RUNTIME := $(VENV)/.runtime
SERVICE := $(VENV)/.service
FULL    := $(VENV)/.full

.PHONY: demo test test-long lint bench peers serve report setup clean

demo: $(RUNTIME)
	$(BIN)/tiacam demo --out demo

test: $(FULL)
	$(BIN)/python -m pytest

test-long: $(FULL)
	TIACAM_LONG=1 $(BIN)/python -m pytest

lint: $(FULL)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Coarse numbers in a few minutes, into build/bench and never into results/. Those that need data run by hand.
bench: $(FULL)
	$(BIN)/python -m pip install --quiet --requirement benchmarks/requirements.txt
	mkdir -p build/bench
	$(BIN)/python -m benchmarks.startup --rounds 5 --out build/bench/startup.json
	$(BIN)/python -m benchmarks.speed --rounds 3 --out build/bench/speed.json
	$(BIN)/python -m benchmarks.heads --fits 4 --out build/bench/reference-head.json
	$(BIN)/python -m benchmarks.false_claims --unrelated 2000 --faint 2000 --statistic 1000000 \
		--state build/bench/false-claims.jsonl --out build/bench/false-claims.json
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.codes.study --quick --out build/bench
	$(BIN)/python -m benchmarks.report --results build/bench --out build/bench/report.html

# The service with its web page, at an address of this machine alone; it prints the link to open.
serve: $(SERVICE)
	$(BIN)/tiacam serve

# One page of all records with plots, and the tables of the README and docs/results.md.
report: $(FULL)
	$(BIN)/python -m benchmarks.headline
	$(BIN)/python -m benchmarks.report --out build/report.html

# The systems that `tiacam evaluate peers` compares with. Two of them ask for opencv-python, whose files would
# overwrite those of opencv-python-headless: hence without their dependencies.
peers: $(FULL)
	$(BIN)/python -m pip install --quiet --editable '.[peers]'
	$(BIN)/python -m pip install --quiet --no-deps --requirement benchmarks/peers/requirements.txt

setup: $(FULL)

# The demo needs only what a user of the package installs, so it does not wait for torch.
$(RUNTIME): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
		"TIACam needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(SERVICE): $(RUNTIME)
	$(BIN)/python -m pip install --quiet --editable '.[c2pa,service]'
	touch $@

$(FULL): $(RUNTIME)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) demo build dist src/*.egg-info
