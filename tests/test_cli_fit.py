from __future__ import annotations

import json
import sys

import pytest
from command import call
from fitting import GROUPS, POINTS, call_fit, check_groups, check_refused, labels_of
from PIL import Image

from sidecut import ConstrainedSpectralClustering
from sidecut.cli import prepare

pytestmark = pytest.mark.usefixtures("empty_folder")

# Pairs that say which points are together.
PAIRS = "i,j,weight\n0,1,1\n0,6,-1\n5,4,0.5\n7,8,2\n"


@pytest.fixture
def points(tmp_path):
    """A csv of points and one of pairs."""
    rows = [f"{x:.6f},{y:.6f}" for x, y in POINTS]
    (tmp_path / "points.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    (tmp_path / "pairs.csv").write_text(PAIRS)
    return tmp_path


class TestWhatIsWritten:
    def test_labels_and_report_beside_each_other(self, points):
        result = call_fit("points.csv", "--constraints", "pairs.csv")
        assert result.exit_code == 0, result.output
        check_groups(labels_of(points / "points-labels.csv"))
        assert (points / "points-labels.csv").read_text().startswith("row,label\n0,")
        report = json.loads((points / "points-report.json").read_text())
        assert report["report"]["satisfaction"]["must"]["count_satisfied"] == 3
        assert report["parameters"]["n_clusters"] == 2
        assert "written: points-labels.csv, points-report.json" in result.stdout
        assert "must-links" in result.stdout
        assert {path.name for path in points.iterdir()} == {
            "points.csv", "pairs.csv", "points-labels.csv", "points-report.json",
        }  # fmt: skip

    def test_a_picture(self, points):
        command = ["fit", "points.csv", "--constraints", "pairs.csv", "--neighbors", "5"]
        result = call(*command)
        assert result.exit_code == 0, result.output
        with Image.open(points / "points-picture.png") as picture:
            assert picture.width > 500

    def test_a_folder_and_a_prefix(self, points):
        assert call_fit("points.csv", "--output", "new/deep/").exit_code == 0
        assert (points / "new" / "deep" / "labels.csv").is_file()
        assert call_fit("points.csv", "--output", "new").exit_code == 0
        assert (points / "new" / "labels.csv").is_file()
        assert call_fit("points.csv", "--output", "new/run").exit_code == 0
        assert (points / "new" / "run-labels.csv").is_file()

    def test_json_is_one_object_on_stdout(self, points):
        result = call_fit("points.csv", "--constraints", "pairs.csv", "--json", "--seed", 4)
        content = json.loads(result.stdout)
        assert content["outputs"] == ["points-labels.csv", "points-report.json"]
        assert content["parameters"]["random_state"] == 4
        assert content["seconds"] > 0
        assert result.stderr == ""

    def test_without_constraints_it_says_so(self, points):
        result = call_fit("points.csv")
        assert result.exit_code == 0
        assert result.stderr == "no constraints were given: this is plain spectral clustering\n"
        check_groups(labels_of(points / "points-labels.csv"))

    def test_the_estimator_gets_what_was_asked(self, points, monkeypatch):
        seen = {}

        def fit(self, X, *, constraints, callback):
            seen.update(self.get_params(), n=X.shape, known=constraints)
            raise ValueError("enough")

        monkeypatch.setattr(ConstrainedSpectralClustering, "fit", fit)
        options = ("--clusters", "auto", "--threshold", "mu=3", "--hard", "--affinity", "rbf")
        check_refused(call_fit("points.csv", *options, "--seed", 9), points, "enough")
        assert seen["n_clusters"] is None
        assert repr(seen["threshold"]) == "Mu(value=3.0)"
        assert (seen["hard"], seen["affinity"], seen["random_state"]) == (True, "rbf", 9)
        assert (seen["n"], seen["known"], seen["n_neighbors"]) == ((12, 2), None, 5)
        call_fit("points.csv", "--threshold", "0.8", "--standardize")
        assert seen["threshold"] == 0.8
        call_fit("points.csv", "--threshold", "alpha=2")
        assert repr(seen["threshold"]) == "Alpha(value=2.0)"

    def test_warnings_of_the_library_are_lines(self, points, monkeypatch):
        real = ConstrainedSpectralClustering.fit

        def fit(self, X, **options):
            import warnings

            warnings.warn("mind\nthe gap", stacklevel=1)
            return real(self, X, **options)

        monkeypatch.setattr(ConstrainedSpectralClustering, "fit", fit)
        result = call_fit("points.csv", "--constraints", "pairs.csv")
        assert result.stderr == "warning: mind the gap\n"


class TestTables:
    def test_a_csv_without_header_names_columns_by_number(self, points):
        rows = [f"{x},{y},{'ab'[k] if n % 6 < 2 else ''}" for n, (k, (x, y)) in enumerate(
            zip(GROUPS, POINTS, strict=True))]  # fmt: skip
        (points / "bare.csv").write_text("\n".join(rows))
        result = call_fit("bare.csv", "--label-column", "2", "--json")
        assert result.exit_code == 0, result.output
        content = json.loads(result.stdout)
        assert content["report"]["satisfaction"]["cannot"]["count"] == 4
        assert sorted(content["known_labels"].values()) == ["a", "b"]
        check_groups(labels_of(points / "bare-labels.csv"))

    def test_known_labels_set_the_number_of_clusters(self, points):
        rows = [f"{x},{y},{n % 3 if n % 2 else ''}" for n, (x, y) in enumerate(POINTS)]
        (points / "three.csv").write_text("\n".join(["x,y,class", *rows]))
        result = call_fit("three.csv", "--label-column", "class", "--json")
        assert json.loads(result.stdout)["report"]["n_clusters"] == 3

    def test_names_of_rows_are_kept_and_used_by_the_pairs(self, points):
        rows = [f"{x};{y};node{n}" for n, (x, y) in enumerate(POINTS)]
        (points / "named.csv").write_text("\n".join(["x;y;who", *rows]))
        (points / "links.csv").write_text("i,j,kind\nnode0,node1,must\nnode0,node9,cannot\n")
        result = call_fit("named.csv", "--id-column", "who", "--constraints", "links.csv")
        assert result.exit_code == 0, result.output
        assert (points / "named-labels.csv").read_text().startswith("who,label\nnode0,")
        (points / "links.csv").write_text("i,j\nnode0,node77\n")
        result = call_fit(
            "named.csv", "--id-column", "who", "--constraints", "links.csv", "--output", "x"
        )
        assert "links.csv, line 2, column 'j': 'node77' names no row" in result.stderr

    def test_only_the_columns_asked_for(self, points, monkeypatch):
        rows = [f"{x},{y},text" for x, y in POINTS]
        (points / "wide.csv").write_text("\n".join(["x,y,z", *rows]))
        assert call_fit("wide.csv", "--columns", "x,y").exit_code == 0
        check_groups(labels_of(points / "wide-labels.csv"))

    def test_parquet(self, points):
        pytest.importorskip("pyarrow")
        from pyarrow import parquet, table

        known = ["a", None, None, None, None, None, "b", None, None, None, None, None]
        columns = {"x": POINTS[:, 0], "y": POINTS[:, 1], "class": known}
        parquet.write_table(table(columns), points / "p.parquet")
        result = call_fit("p.parquet", "--label-column", "class", "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["report"]["satisfaction"]["cannot"]["count"] == 1
        check_groups(labels_of(points / "p-labels.csv"))

    @pytest.mark.parametrize(
        ("text", "options", "words"),
        [
            ("", (), ["is empty"]),
            ("x,y\n", (), ["no rows"]),
            ("x,y\n1,2\n3\n", (), ["line 3: 1 cells where others have 2"]),
            ("x,y\n1,2\n3,abc\n", (), ["line 3, column 'y': 'abc' is no finite number"]),
            ("x,y\n1,2\n3,\n", (), ["line 3, column 'y': the cell is empty"]),
            ("x,y\n1,2\nnan,4\n", (), ["line 3, column 'x': 'nan' is no finite number"]),
            ("x,y\n1,a\n2,b\n", (), ["column 'y': 'a'", "name the others by --columns"]),
            ("a,2001\n1,2\n3,4\n", (), ["line 1, column '0': 'a'", "say --header"]),
            ("id,x\n1,2\n2,4\n", (), ["column 'id' looks like names of the rows", "--id-column"]),
            (",x\n1,2\n2,4\n", (), ["column '' looks like names of the rows"]),
            ("x,x\n1,2\n", (), ["two columns are named 'x'"]),
            ("x,y\n1,2\n3,4\n", ("--label-column", "z"), ["--label-column: no column 'z'", "'y'"]),
            ("x,y\n1,2\n3,4\n", ("--columns", "z"), ["--columns: no column 'z'"]),
            ("x,y\n1,\n3,\n", ("--label-column", "y"), ["column 'y': no label is known"]),
            ("x,y\n1,a\n3,a\n", ("--id-column", "y"), ["line 3, column 'y': 'a' is on line 2 too"]),
            ("x,y\n1,2\n", (), ["has a single row"]),
            ("x\n1\n2\n", ("--label-column", "x"), ["no column of numbers is left"]),
            ('x,y\n1,"2\n', (), ["is no csv"]),
            ("x,y\n1,2\n3,4\n", ("--clusters", "3"), ["--clusters must be at most 2, got 3"]),
        ],
    )  # fmt: skip
    def test_a_malformed_csv_is_one_line(self, tmp_path, text, options, words):
        (tmp_path / "bad.csv").write_text(text)
        check_refused(call_fit("bad.csv", *options), tmp_path, "bad.csv", *words)

    def test_bytes_that_are_no_text(self, tmp_path):
        (tmp_path / "bad.csv").write_bytes(b"x,y\n1,\xff\xfe\n")
        check_refused(call_fit("bad.csv"), tmp_path, "bad.csv: is no UTF-8 text (byte 6)")

    def test_a_broken_parquet_file(self, tmp_path):
        pytest.importorskip("pyarrow")
        (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing PAR1")
        check_refused(call_fit("bad.parquet"), tmp_path, "bad.parquet: is no readable parquet file")

    def test_parquet_without_pyarrow(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        (tmp_path / "bad.parquet").write_bytes(b"")
        check_refused(call_fit("bad.parquet"), tmp_path, "pip install 'sidecut[parquet]'")


class TestPairs:
    def test_without_header_and_with_kinds(self, points):
        (points / "pairs.csv").write_text("0,1,must\n0,6,cannot\n")
        result = call_fit("points.csv", "--constraints", "pairs.csv", "--json")
        found = json.loads(result.stdout)["report"]["satisfaction"]
        assert (found["must"]["count"], found["cannot"]["count"]) == (1, 1)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", ["is empty"]),
            ("i,j\n", ["has no pairs"]),
            ("i,weight\n0,1\n", ["no column 'j'", "'i', 'weight'"]),
            ("i,j,colour\n0,1,2\n", ["column 'colour' is not one of"]),
            ("i,j\n0,12\n", ["line 2, column 'j': rows are numbered 0 to 11, got '12'"]),
            ("i,j\n0,1\n-1,2\n", ["line 3, column 'i': rows are numbered 0 to 11, got '-1'"]),
            ("i,j\n0,1.5\n", ["column 'j'", "got '1.5'"]),
            ("i,j\n0," + "9" * 5000 + "\n", ["column 'j'", "got '999"]),
            ("i,j\n3,3\n", ["line 2: pairs '3' with itself"]),
            ("i,j,weight\n0,1,0\n", ["column 'weight': must be a number other than 0, got '0'"]),
            ("i,j,weight\n0,1,inf\n", ["column 'weight'", "got 'inf'"]),
            ("i,j,kind\n0,1,maybe\n", ["column 'kind': must be 'must' or 'cannot', got 'maybe'"]),
            ("i,j,kind,weight\n0,1,must,-1\n", ["column 'weight': must be positive beside a kind"]),
            ("i,j,weight\n0,1,1\n1,0,-1\n", ["line 3: 1 and 0 must and cannot", "see line 2"]),
            ("0,1,1,1,1\n", ["has 5 columns and no header"]),
        ],
    )
    def test_malformed_pairs_are_one_line(self, points, text, words):
        (points / "pairs.csv").write_text(text)
        result = call_fit("points.csv", "--constraints", "pairs.csv")
        check_refused(result, points, "pairs.csv", *words)

    def test_pairs_that_cannot_all_be_kept(self, points):
        (points / "pairs.csv").write_text("i,j,weight\n0,1,1\n1,2,1\n0,2,-1\n")
        result = call_fit("points.csv", "--constraints", "pairs.csv", "--hard")
        check_refused(result, points, "0 = 1 = 2")

    def test_a_missing_file(self, points):
        check_refused(
            call_fit("points.csv", "--constraints", "no.csv"), points, "no.csv: does not exist"
        )


class TestPlaces:
    def test_a_missing_input_and_an_unknown_kind(self, tmp_path):
        check_refused(call_fit("no.csv"), tmp_path, "no.csv: does not exist")
        (tmp_path / "x.xlsx").write_text("")
        check_refused(call_fit("x.xlsx"), tmp_path, "x.xlsx: the name must end in one of .csv")
        (tmp_path / "folder.csv").mkdir()
        check_refused(call_fit("folder.csv"), tmp_path, "folder.csv: is not a file")

    def test_an_output_folder_that_cannot_be_made(self, points):
        (points / "file").write_text("")
        check_refused(
            call_fit("points.csv", "--output", "file/out/"), points, "cannot write to file/out"
        )

    def test_an_output_folder_that_cannot_be_written_to(self, points, monkeypatch):
        def refuse(*args, **kwargs):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("sidecut.cli.output.tempfile.mkdtemp", refuse)
        result = call_fit("points.csv", "--output", "new/deep/")
        check_refused(result, points, "cannot write to new/deep: Permission denied")
        assert not (points / "new").exists()

    def test_a_folder_in_the_way_of_a_file(self, points):
        (points / "out" / "report.json").mkdir(parents=True)
        result = call_fit("points.csv", "--output", "out/")
        assert result.exit_code == 1
        assert "cannot write out/report.json: a folder is there" in result.stderr
        assert [path.name for path in (points / "out").iterdir()] == ["report.json"]

    def test_an_error_late_in_the_run_leaves_nothing(self, points, monkeypatch):
        def fail(*args, **kwargs):
            raise ValueError("the pen broke")

        monkeypatch.setattr("sidecut.cli.fit.save_picture", fail)
        command = ["fit", "points.csv", "--neighbors", "5", "--output", "new/"]
        check_refused(call(*command), points, "the pen broke")
        assert not (points / "new").exists()

    def test_a_picture_without_matplotlib(self, points, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        result = call("fit", "points.csv")
        check_refused(result, points, "pip install 'sidecut[plot]', or say --no-picture")
        assert call_fit("points.csv").exit_code == 0

    def test_an_rbf_graph_of_too_many_points(self, points, monkeypatch):
        monkeypatch.setattr(prepare, "MAX_RBF", 10)
        check_refused(
            call_fit("points.csv", "--affinity", "rbf"), points, "has 12 rows", "10 at most"
        )

    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("--clusters", "0"),
            ("--clusters", "two"),
            ("--threshold", "1.5"),
            ("--threshold", "mu=-1"),
            ("--threshold", "beta=1"),
            ("--affinity", "cosine"),
            ("--seed", "-1"),
        ],
    )
    def test_wrong_options_are_usage_errors(self, points, option, value):
        check_refused(call_fit("points.csv", option, value), points, option, code=2)
