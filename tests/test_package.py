from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import sidecut

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def test_all_holds_the_public_names():
    # Their order is ruff's (RUF022).
    assert len({*sidecut.__all__}) == len(sidecut.__all__)
    for name in sidecut.__all__:
        assert getattr(sidecut, name).__doc__


def test_importing_needs_no_optional_package():
    code = "import sys, sidecut; print({'matplotlib'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_the_version_is_written_once_more_in_the_citation():
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {sidecut.__version__}\n" in citation
    assert f"## {sidecut.__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_examples_of_the_documents_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", document.read_text(), re.DOTALL | re.MULTILINE)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(document), "exec"), names)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_links_of_the_documents_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
        assert target.startswith("https://") or (document.parent / target).exists(), target


def test_the_demo_runs(tmp_path):
    command = [sys.executable, ROOT / "examples" / "two_moons.py", "--output", tmp_path / "new"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "mean over 10 draws of 20 pairs" in run.stdout
    assert (tmp_path / "new" / "two_moons.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "script", ["dense_pencil.py", "many_labels.py", "large.py", "few_constraints.py"]
)
def test_the_benchmarks_run(script):
    command = [sys.executable, ROOT / "benchmarks" / script, "--quick"]
    subprocess.run(command, capture_output=True, text=True, check=True)
