from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from command import call, check_one_line

import sidecut as library
from sidecut.bench import methods
from sidecut.cli import main
from sidecut.cli.app import sidecut

pytestmark = pytest.mark.usefixtures("empty_folder")

ROOT = Path(__file__).parents[1]
TINY = [
    "bench", "accuracy", "--quick", "--methods", "csp", "--datasets", "moons-0.1", "--draws", "1",
    "--jobs", "1", "--pairs", "20",
]  # fmt: skip


class TestCommand:
    def test_python_m_sidecut_runs_it(self):
        command = [sys.executable, "-m", "sidecut", "--version"]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert run.stdout == f"sidecut {library.__version__}\n"

    def test_python_m_sidecut_ends_with_its_exit_code(self):
        command = [sys.executable, "-m", "sidecut", "bench", "accuracy", "--methods", "none"]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert run.returncode == 2
        assert run.stderr.startswith("sidecut: methods must name some of Constrained")
        assert run.stderr.count("\n") == 1

    @pytest.mark.parametrize("package", ["click", "rich"])
    def test_without_the_extra_it_prints_the_install_line(self, package, monkeypatch, capsys):
        monkeypatch.setitem(sys.modules, package, None)
        assert main() == 2
        error = capsys.readouterr().err
        assert error == f"sidecut: the command needs {package}: pip install 'sidecut[cli]'\n"

    def test_the_library_needs_neither_click_nor_rich(self):
        # None makes an import fail. (scikit-learn imports rich where it is, so to look is no test.)
        code = "import sys; sys.modules |= dict.fromkeys(('click', 'rich', 'pyarrow', 'PIL'))\n"
        code += "import sidecut, sidecut.bench.accuracy, sidecut.bench.leaderboard, sidecut.cli"
        command = [sys.executable, "-c", code]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert (run.returncode, run.stderr) == (0, "")

    def test_help_lists_the_commands(self):
        result = call("--help")
        assert result.exit_code == 0
        assert "bench" in result.stdout

    def test_usage_errors_are_one_line(self):
        check_one_line(call("bench", "accuracy", "--nope"), 2, "--nope", "--help")
        check_one_line(call("nope"), 2, "nope")

    def test_an_interrupt_is_one_line(self, monkeypatch):
        def interrupt(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr(methods, "select", interrupt)
        result = call(*TINY)
        assert result.exit_code == 130
        assert result.stderr.strip() == "sidecut: interrupted"

    def test_a_mistake_of_ours_is_one_line_unless_debugging(self, monkeypatch):
        def fail(*args, **kwargs):
            raise ZeroDivisionError("two\nlines")

        monkeypatch.setattr(methods, "select", fail)
        check_one_line(call(*TINY), 1, "unexpected ZeroDivisionError: two lines", "--debug")
        result = call(*TINY, "--debug")
        assert result.exit_code == 1
        assert "Traceback" in result.stderr


class TestBenchAccuracy:
    def test_a_tiny_run_writes_all_it_was_asked_for(self, tmp_path):
        result = call(*TINY, "--leaderboard", "new/page.md", "--plot", "new/plot.png")
        assert result.exit_code == 0, result.output
        assert "moons-0.1 (knn)" in result.stdout
        assert "overall" in result.stdout
        assert "| CSP | 1.00 | 1 |" in (tmp_path / "new" / "page.md").read_text()
        assert (tmp_path / "new" / "plot.png").stat().st_size > 5_000
        assert len((tmp_path / "accuracy.csv").read_text().splitlines()) == 2
        assert not list(tmp_path.rglob("*.part"))

    def test_a_rerun_goes_on_and_prints_json(self, tmp_path):
        first = json.loads(call(*TINY, "--json").stdout)
        lines = (tmp_path / "accuracy.csv").read_text().splitlines()
        again = call(*TINY, "--json", "--draws", 2)
        assert again.exit_code == 0, again.output
        both = json.loads(again.stdout)
        grown = (tmp_path / "accuracy.csv").read_text().splitlines()
        assert grown[:2] == lines
        assert len(grown) == 3
        assert first["cells"][0]["draws"] == 1
        assert both["cells"][0]["draws"] == 2
        assert both["overall"][0]["method"] == "CSP"
        assert both["settings"]["quick"] is True

    @pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to a group of processes")
    def test_ctrl_c_keeps_what_is_done(self, tmp_path):
        command = [sys.executable, "-m", "sidecut", *TINY, "--draws", "5000"]
        with subprocess.Popen(
            [*command, "--output", str(tmp_path / "a.csv")],
            cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True,
        ) as process:  # fmt: skip
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and process.poll() is None:
                if (tmp_path / "a.csv").exists() and (tmp_path / "a.csv").read_text().count("ok"):
                    break
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)
            error = process.communicate(timeout=60)[1]
        assert process.returncode == 130
        assert error.strip() == "sidecut: interrupted"
        lines = (tmp_path / "a.csv").read_text().splitlines()
        assert 2 <= len(lines) < 5000
        assert all(line.count(",") == lines[0].count(",") for line in lines)

    def test_other_settings_are_refused_unless_fresh(self, tmp_path):
        assert call(*TINY).exit_code == 0
        check_one_line(call(*TINY, "--seed", 1), 1, "seed 0 (now 1)", "--fresh")
        assert call(*TINY, "--seed", 1, "--fresh").exit_code == 0
        assert len((tmp_path / "accuracy.csv").read_text().splitlines()) == 2

    def test_parquet_beside_the_csv_it_goes_on_from(self, tmp_path):
        parquet = pytest.importorskip("pyarrow.parquet")
        result = call(*TINY, "--output", "a.parquet")
        assert result.exit_code == 0, result.output
        assert parquet.read_table(tmp_path / "a.parquet").num_rows == 1
        assert (tmp_path / "a.csv").exists()

    def test_parquet_without_pyarrow_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        result = call(*TINY, "--output", "a.parquet")
        check_one_line(result, 1, "pip install 'sidecut[parquet]'")

    def test_a_plot_without_matplotlib_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        check_one_line(call(*TINY, "--plot", "a.png"), 1, "pip install 'sidecut[plot]'")

    def test_missing_data_are_a_line_each(self, tmp_path):
        result = call(*TINY, "--datasets", "cora,moons-0.1", "--data", tmp_path)
        assert result.exit_code == 0, result.output
        assert f"skipped cora: graph/cora.npz is not in {tmp_path};" in result.stderr

    def test_no_data_at_all_is_an_error(self, tmp_path):
        result = call(*TINY, "--datasets", "cora", "--data", tmp_path)
        assert result.exit_code == 1
        assert result.stderr.splitlines()[-1].startswith("sidecut: no data set is there")
        assert not (tmp_path / "accuracy.csv").exists()

    @pytest.mark.parametrize(
        ("option", "value", "word"),
        [
            ("--pairs", "20,-5", "'-5' is not a positive integer"),
            ("--pairs", ",", "the list is empty"),
            ("--methods", "CPS", "got 'CPS'"),
            ("--datasets", "wein", "got 'wein'"),
            ("--draws", "0", "0 is not in the range"),
            ("--limit", "0", "0.0 is not in the range"),
            ("--output", "a.xlsx", "must end in .csv or .parquet"),
            ("--plot", "a.bmp", "must end in .png, .pdf or .svg"),
            ("--data", "nowhere", "'nowhere' does not exist"),
        ],
    )
    def test_wrong_options_are_usage_errors(self, option, value, word, tmp_path):
        check_one_line(call(*TINY, option, value), 2, word)
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_that_cannot_be_made_is_one_line(self, tmp_path):
        (tmp_path / "file").write_text("")
        check_one_line(call(*TINY, "--output", "file/a.csv"), 1, "file")


class TestDocument:
    def test_its_examples_run(self, tmp_path):
        text = (ROOT / "docs" / "cli.md").read_text()
        for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            exec(compile(block, "cli.md", "exec"), {})
        blocks = re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        commands = re.findall(r"^\$ sidecut (.*)$", "".join(blocks), re.MULTILINE)
        assert len(commands) >= 8
        for command in commands:
            result = CliRunner().invoke(sidecut, shlex.split(command))
            assert result.exit_code == 0, (command, result.output)
        assert (tmp_path / "photo-labels.png").exists()
        assert (tmp_path / "out" / "auto-labels.csv").exists()
        friends = (tmp_path / "friends-labels.csv").read_text().split()
        assert {line[:3] for line in friends[1:] if line[-1] == friends[1][-1]} == {
            "ann", "bob", "cy,",
        }  # fmt: skip
