# Two commands for a newcomer: `make demo` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: demo test test-full fuzz sanitize validity check format docs gallery atlas bench lock clean

demo: $(READY)
	$(BIN)/assay demo

test: check
	$(BIN)/pytest -n auto --dist loadfile -m "not slow"

test-full: check ## with the light ones of the other tools (ranx, ir_datasets), whose objects are read
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-bench.lock
	$(BIN)/pytest -n auto --dist loadfile

fuzz: $(READY) ## 300,000 mutated files over all readers, 300,000 measures, conditions and command lines
	$(BIN)/python -m tests.fuzz

sanitize: $(READY) ## the compiled reader under AddressSanitizer and UndefinedBehaviorSanitizer, 1,000,000 mutated files
	$(BIN)/python -m tests.fuzz.sanitized --inputs 1000000

validity: $(READY) ## how often intervals miss and sentences are false: docs/reference/validity.tsv, part by part
	$(BIN)/python -m bench.validity

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/vulture

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY) ## writes docs/reference from the declarations, then the site
	$(BIN)/python docs/generate.py
	$(BIN)/mkdocs build --strict

gallery: $(READY) ## pictures of the report on four collections: docs/gallery/
	$(BIN)/python docs/gallery.py

atlas: $(READY) ## the papers computed again on all public collections: atlas.html and its summary page
	$(BIN)/python docs/atlas.py

bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-bench.lock
	$(BIN)/python -m bench
	$(BIN)/python -m bench.significance
	$(BIN)/python -m bench.predictivity
	$(BIN)/python -m bench.disagreement
	$(BIN)/python -m bench.population
	$(BIN)/python -m bench.weights
	$(BIN)/python -m bench.codes
	$(BIN)/python -m bench.memory
	$(BIN)/python -m bench.page
	$(BIN)/python -m bench.gates
	$(BIN)/python -m bench.compare
	$(BIN)/python -m bench.judges

lock: ## pins what the index has now; no index address is written
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install --quiet '.[dev]'
	.venv-lock/bin/pip freeze --exclude assay-ir --exclude-editable | grep -v "^assay" > requirements.lock
	rm -rf .venv-lock

clean:
	rm -rf .venv .venv-lock build dist site demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(READY): requirements.lock pyproject.toml hatch_build.py src/assay/core/_compiled.c
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@
