# `make demo` and `make test` set up everything they need in .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check format bench clean

demo: .venv/demo.stamp
	$(BIN)/python examples/two_moons.py --output out

test: check
	$(BIN)/python -m pytest

check: .venv/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/dev.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Five to ten minutes on a quiet machine; all parts of few_constraints.py would take half an hour.
bench: .venv/dev.stamp
	$(BIN)/python benchmarks/dense_pencil.py
	$(BIN)/python benchmarks/many_labels.py
	$(BIN)/python benchmarks/large.py --output benchmarks/results/large.md
	$(BIN)/python benchmarks/few_constraints.py --only moons time

# Stamps make a second run start at once; a changed pyproject.toml installs again.
.venv/%.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[$(if $(filter dev,$*),dev,plot)]"
	touch $@

clean:
	rm -rf .venv out dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
