"""The commands `sidecut reproduce` and `sidecut data`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from command import call, check_one_line

from sidecut.datasets import DatasetError, _fetch
from sidecut.experiments import EXPERIMENTS, six_nodes

pytestmark = pytest.mark.usefixtures("empty_folder")


class TestReproduce:
    def test_it_writes_a_report_and_pictures(self, tmp_path):
        result = call("reproduce", "six_nodes", "numerical_range", "--quick", "--jobs", 1,
                      "--output", "new/out")  # fmt: skip
        assert result.exit_code == 0, result.output
        assert "The largest eigenvalue" in result.stdout
        assert "u = [1.18" in result.stdout
        folder = tmp_path / "new" / "out"
        names = {path.name for path in folder.iterdir()}
        assert names == {"report.html", "fig02.png", "fig03.png", "fig04.png", "records"}
        page = (folder / "report.html").read_text(encoding="utf-8")
        assert all(claim.text in page for claim in six_nodes.CLAIMS)
        assert str(tmp_path) not in page

    def test_it_goes_on_where_it_stopped_and_prints_json(self, tmp_path, monkeypatch):
        command = ["reproduce", "six_nodes", "--jobs", 1, "--json"]
        first = call(*command)
        assert first.exit_code == 0, first.output

        def fail(*args, **kwargs):
            raise AssertionError("a finished trial was run again")

        monkeypatch.setattr(six_nodes, "cut", fail)
        again = call(*command)
        found, before = json.loads(again.stdout), json.loads(first.stdout)
        assert found["items"][0]["claims"] == before["items"][0]["claims"]
        assert {claim["verdict"] for claim in found["items"][0]["claims"]} == {"holds"}
        assert found["machine"]["versions"]["sidecut"]
        assert found["written"][0] == str(Path("reproduction") / "report.html")
        result = call(*command, "--fresh")
        check_one_line(result, 1, "a finished trial was run again")

    def test_results_of_other_versions_are_refused(self, tmp_path):
        records = tmp_path / "reproduction" / "records"
        records.mkdir(parents=True)
        (records / "machine.json").write_text('{"versions": {"sidecut": "0.0.1"}}')
        check_one_line(call("reproduce", "six_nodes"), 1, "other versions", "--fresh")

    def test_missing_data_are_a_line_and_an_exit_code(self, tmp_path):
        result = call("reproduce", "scans", "six_nodes", "--data", tmp_path, "--jobs", 1)
        assert result.exit_code == 3, result.output
        lines = result.stderr.splitlines()
        assert any(line.startswith("scans: The data set stages") for line in lines)
        page = (tmp_path / "reproduction" / "report.html").read_text(encoding="utf-8")
        assert "The data set stages" in page
        assert "Fig. 2 and 3" in page

    def test_an_unknown_name_lists_the_names(self, tmp_path):
        check_one_line(call("reproduce", "fig99"), 2, "'fig99'", ", ".join(EXPERIMENTS))
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_that_cannot_be_written_is_one_line(self, tmp_path):
        (tmp_path / "file").write_text("")
        check_one_line(call("reproduce", "six_nodes", "--output", "file/out"), 1, "file")
        check_one_line(call("reproduce", "six_nodes", "--output", "file"), 2, "file")

    @pytest.mark.parametrize("package", ["matplotlib", "skimage"])
    def test_without_the_extra_it_prints_the_install_line(self, package, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, package, None)
        result = call("reproduce", "six_nodes")
        check_one_line(result, 1, package, "pip install 'sidecut[reproduce]'")
        assert list(tmp_path.iterdir()) == []

    def test_help_names_every_experiment(self):
        text = " ".join(call("reproduce", "--help").stdout.split())
        assert all(name in text for name in EXPERIMENTS)


class TestData:
    def test_list(self, tmp_path):
        result = call("data", "list", "--data", tmp_path)
        assert result.exit_code == 0, result.output
        assert "sidecut data get hepatitis" in result.stdout
        assert "part of scikit-learn" in result.stdout

    def test_list_as_json(self, tmp_path):
        found = json.loads(call("data", "list", "--data", tmp_path, "--json").stdout)
        rows = {row["name"]: row for row in found["datasets"]}
        assert rows["iris"]["present"] is True
        assert rows["glass"]["present"] is False
        assert found["folder"] == str(tmp_path)

    def test_get_of_what_is_there(self, data_home):
        result = call("data", "get", "glass", "iris", "--data", data_home)
        assert result.exit_code == 0, result.output
        assert result.stderr.splitlines() == [
            "glass: there and checked", "iris: comes with scikit-learn",
        ]  # fmt: skip

    def test_an_unknown_name_lists_the_names(self, tmp_path):
        check_one_line(call("data", "get", "nope"), 2, "'nope'", "hepatitis, glass")
        check_one_line(call("data", "get"), 2, "NAME")

    def test_a_failed_download_is_one_line_and_leaves_no_file(self, tmp_path, monkeypatch):
        def broken(path, addresses, folder, callback):
            (folder / "original.csv").write_text("half a fi")
            callback(path, 9, 0.5)
            raise DatasetError(f"{path} could not be downloaded:\nthe line is dead")

        monkeypatch.setattr(_fetch, "_retrieve", broken)
        result = call("data", "get", "glass", "--data", tmp_path)
        check_one_line(result, 1, "uci/glass.csv could not be downloaded: the line is dead")
        assert not [path for path in tmp_path.rglob("*") if path.is_file()]

    def test_what_cannot_be_downloaded_says_why(self, tmp_path):
        result = call("data", "get", "usps", "--data", tmp_path)
        check_one_line(result, 1, "digits/usps.npz is not in", "HDF5")
