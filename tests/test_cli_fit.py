from __future__ import annotations

import csv
import json
import sys
import zipfile

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image
from scipy import sparse

from sidecut import ConstrainedSpectralClustering
from sidecut.cli import prepare
from sidecut.cli.app import sidecut
from sidecut.read import arrays, images

# Two groups of six points, and pairs that say so.
GROUPS = np.repeat([0, 1], 6)
POINTS = np.random.default_rng(0).normal(0, 0.2, (12, 2)) + 5 * GROUPS[:, None]
PAIRS = "i,j,weight\n0,1,1\n0,6,-1\n5,4,0.5\n7,8,2\n"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def points(tmp_path):
    """A csv of points and one of pairs."""
    rows = [f"{x:.6f},{y:.6f}" for x, y in POINTS]
    (tmp_path / "points.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    (tmp_path / "pairs.csv").write_text(PAIRS)
    return tmp_path


def call(*args):
    return CliRunner().invoke(sidecut, ["fit", *map(str, args), "--no-picture", "--neighbors", "5"])


def labels_of(path):
    with path.open(newline="") as file:
        return [row["label"] for row in csv.DictReader(file)]


def check_groups(labels):
    """Assert that the labels are the two groups."""
    assert len(set(labels[:6])) == len(set(labels[6:])) == 1
    assert labels[0] != labels[6]


def check_refused(result, folder, *words, code=1):
    """Assert one line on stderr that holds all the words, and that nothing was written."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    assert result.stderr.startswith("sidecut: ")
    for word in words:
        assert str(word) in result.stderr
    written = ("*labels*", "*report*", "*picture*", ".sidecut-*")
    assert not [path for pattern in written for path in folder.rglob(pattern)]


class TestWhatIsWritten:
    def test_labels_and_report_beside_each_other(self, points):
        result = call("points.csv", "--constraints", "pairs.csv")
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
        result = CliRunner().invoke(sidecut, command)
        assert result.exit_code == 0, result.output
        with Image.open(points / "points-picture.png") as picture:
            assert picture.width > 500

    def test_a_folder_and_a_prefix(self, points):
        assert call("points.csv", "--output", "new/deep/").exit_code == 0
        assert (points / "new" / "deep" / "labels.csv").is_file()
        assert call("points.csv", "--output", "new").exit_code == 0
        assert (points / "new" / "labels.csv").is_file()
        assert call("points.csv", "--output", "new/run").exit_code == 0
        assert (points / "new" / "run-labels.csv").is_file()

    def test_json_is_one_object_on_stdout(self, points):
        result = call("points.csv", "--constraints", "pairs.csv", "--json", "--seed", 4)
        content = json.loads(result.stdout)
        assert content["outputs"] == ["points-labels.csv", "points-report.json"]
        assert content["parameters"]["random_state"] == 4
        assert content["seconds"] > 0
        assert result.stderr == ""

    def test_without_constraints_it_says_so(self, points):
        result = call("points.csv")
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
        check_refused(call("points.csv", *options, "--seed", 9), points, "enough")
        assert seen["n_clusters"] is None
        assert repr(seen["threshold"]) == "Mu(value=3.0)"
        assert (seen["hard"], seen["affinity"], seen["random_state"]) == (True, "rbf", 9)
        assert (seen["n"], seen["known"], seen["n_neighbors"]) == ((12, 2), None, 5)
        call("points.csv", "--threshold", "0.8", "--standardize")
        assert seen["threshold"] == 0.8
        call("points.csv", "--threshold", "alpha=2")
        assert repr(seen["threshold"]) == "Alpha(value=2.0)"

    def test_warnings_of_the_library_are_lines(self, points, monkeypatch):
        real = ConstrainedSpectralClustering.fit

        def fit(self, X, **options):
            import warnings

            warnings.warn("mind\nthe gap", stacklevel=1)
            return real(self, X, **options)

        monkeypatch.setattr(ConstrainedSpectralClustering, "fit", fit)
        result = call("points.csv", "--constraints", "pairs.csv")
        assert result.stderr == "warning: mind the gap\n"


class TestTables:
    def test_a_csv_without_header_names_columns_by_number(self, points):
        rows = [f"{x},{y},{'ab'[k] if n % 6 < 2 else ''}" for n, (k, (x, y)) in enumerate(
            zip(GROUPS, POINTS, strict=True))]  # fmt: skip
        (points / "bare.csv").write_text("\n".join(rows))
        result = call("bare.csv", "--label-column", "2", "--json")
        assert result.exit_code == 0, result.output
        content = json.loads(result.stdout)
        assert content["report"]["satisfaction"]["cannot"]["count"] == 4
        assert sorted(content["known_labels"].values()) == ["a", "b"]
        check_groups(labels_of(points / "bare-labels.csv"))

    def test_known_labels_set_the_number_of_clusters(self, points):
        rows = [f"{x},{y},{n % 3 if n % 2 else ''}" for n, (x, y) in enumerate(POINTS)]
        (points / "three.csv").write_text("\n".join(["x,y,class", *rows]))
        result = call("three.csv", "--label-column", "class", "--json")
        assert json.loads(result.stdout)["report"]["n_clusters"] == 3

    def test_names_of_rows_are_kept_and_used_by_the_pairs(self, points):
        rows = [f"{x};{y};node{n}" for n, (x, y) in enumerate(POINTS)]
        (points / "named.csv").write_text("\n".join(["x;y;who", *rows]))
        (points / "links.csv").write_text("i,j,kind\nnode0,node1,must\nnode0,node9,cannot\n")
        result = call("named.csv", "--id-column", "who", "--constraints", "links.csv")
        assert result.exit_code == 0, result.output
        assert (points / "named-labels.csv").read_text().startswith("who,label\nnode0,")
        (points / "links.csv").write_text("i,j\nnode0,node77\n")
        result = call(
            "named.csv", "--id-column", "who", "--constraints", "links.csv", "--output", "x"
        )
        assert "links.csv, line 2, column 'j': 'node77' names no row" in result.stderr

    def test_only_the_columns_asked_for(self, points, monkeypatch):
        rows = [f"{x},{y},text" for x, y in POINTS]
        (points / "wide.csv").write_text("\n".join(["x,y,z", *rows]))
        assert call("wide.csv", "--columns", "x,y").exit_code == 0
        check_groups(labels_of(points / "wide-labels.csv"))

    def test_parquet(self, points):
        pytest.importorskip("pyarrow")
        from pyarrow import parquet, table

        known = ["a", None, None, None, None, None, "b", None, None, None, None, None]
        columns = {"x": POINTS[:, 0], "y": POINTS[:, 1], "class": known}
        parquet.write_table(table(columns), points / "p.parquet")
        result = call("p.parquet", "--label-column", "class", "--json")
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
        check_refused(call("bad.csv", *options), tmp_path, "bad.csv", *words)

    def test_bytes_that_are_no_text(self, tmp_path):
        (tmp_path / "bad.csv").write_bytes(b"x,y\n1,\xff\xfe\n")
        check_refused(call("bad.csv"), tmp_path, "bad.csv: is no UTF-8 text (byte 6)")

    def test_a_broken_parquet_file(self, tmp_path):
        pytest.importorskip("pyarrow")
        (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing PAR1")
        check_refused(call("bad.parquet"), tmp_path, "bad.parquet: is no readable parquet file")

    def test_parquet_without_pyarrow(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        (tmp_path / "bad.parquet").write_bytes(b"")
        check_refused(call("bad.parquet"), tmp_path, "pip install 'sidecut[parquet]'")


class TestPairs:
    def test_without_header_and_with_kinds(self, points):
        (points / "pairs.csv").write_text("0,1,must\n0,6,cannot\n")
        result = call("points.csv", "--constraints", "pairs.csv", "--json")
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
        result = call("points.csv", "--constraints", "pairs.csv")
        check_refused(result, points, "pairs.csv", *words)

    def test_pairs_that_cannot_all_be_kept(self, points):
        (points / "pairs.csv").write_text("i,j,weight\n0,1,1\n1,2,1\n0,2,-1\n")
        result = call("points.csv", "--constraints", "pairs.csv", "--hard")
        check_refused(result, points, "0 = 1 = 2")

    def test_a_missing_file(self, points):
        check_refused(
            call("points.csv", "--constraints", "no.csv"), points, "no.csv: does not exist"
        )


class TestArrays:
    def test_points_from_npy_and_npz(self, tmp_path):
        np.save(tmp_path / "a.npy", POINTS.astype(np.float32))
        known = np.where(np.arange(12) % 6 < 2, GROUPS, -1)
        np.savez(tmp_path / "b.npz", X=POINTS, y=known, other=np.zeros(3))
        assert call("a.npy").exit_code == 0
        check_groups(labels_of(tmp_path / "a-labels.csv"))
        result = call("b.npz", "--label-column", "y", "--json")
        assert json.loads(result.stdout)["report"]["satisfaction"]["must"]["count"] == 2
        check_groups(labels_of(tmp_path / "b-labels.csv"))

    def test_a_graph_from_npz_and_npy(self, tmp_path):
        A = (GROUPS[:, None] == GROUPS).astype(float)
        np.fill_diagonal(A, 0)
        A[5, 6] = A[6, 5] = 0.5
        sparse.save_npz(tmp_path / "a.npz", sparse.csr_array(A))
        np.savez(tmp_path / "b.npz", edges=np.argwhere(A))
        np.save(tmp_path / "c.npy", A)
        for name, options in (
            ("a.npz", ()),
            ("b.npz", ()),
            ("c.npy", ("--affinity", "precomputed")),
        ):
            result = call(name, *options)
            assert result.exit_code == 0, result.output
            check_groups(labels_of(tmp_path / f"{name[0]}-labels.csv"))

    def test_pickles_are_never_loaded(self, tmp_path):
        class Bomb:
            def __reduce__(self):
                return (open, (str(tmp_path / "boom"), "w"))

        bomb = np.array([[Bomb()]], dtype=object)
        np.save(tmp_path / "a.npy", bomb, allow_pickle=True)
        np.savez(tmp_path / "b.npz", X=bomb)
        for name in ("a.npy", "b.npz"):
            check_refused(call(name), tmp_path, name, "it holds pickled objects")
        assert not (tmp_path / "boom").exists()

    @pytest.mark.parametrize(
        ("array", "word"),
        [
            (np.zeros(3), "must be a matrix, got shape (3,)"),
            (np.array([["a", "b"]]), "must hold numbers, got dtype <U1"),
            (np.array([[1.0, 2.0], [3.0, np.nan]]), "row 1, column 1: nan is not finite"),
        ],
    )
    def test_arrays_that_are_no_points(self, tmp_path, array, word):
        np.save(tmp_path / "a.npy", array)
        check_refused(call("a.npy"), tmp_path, "a.npy", word)

    def test_an_array_that_claims_more_than_its_file_holds(self, tmp_path):
        np.save(tmp_path / "a.npy", POINTS)
        whole = (tmp_path / "a.npy").read_bytes()
        claim = whole.replace(b"(12, 2), }" + b" " * 12, b"(900000000000, 2), }  ")
        assert claim != whole
        assert len(claim) == len(whole)
        (tmp_path / "a.npy").write_bytes(claim)
        check_refused(call("a.npy"), tmp_path, "a.npy: is no readable .npy")

    def test_which_array(self, tmp_path):
        np.savez(tmp_path / "a.npz", one=POINTS, two=POINTS)
        check_refused(call("a.npz"), tmp_path, "which array? say --array; there are 'one', 'two'")
        assert call("a.npz", "--array", "two").exit_code == 0
        assert "no array 'three'" in call("a.npz", "--array", "three", "--output", "x").stderr

    def test_an_archive_that_unpacks_to_too_much(self, tmp_path, monkeypatch):
        monkeypatch.setattr(arrays, "MAX_BYTES", 10_000)
        np.savez_compressed(tmp_path / "a.npz", X=np.zeros((100, 100)))
        check_refused(call("a.npz"), tmp_path, "a.npz: unpacks to", "at most 10000")

    def test_broken_archives(self, tmp_path):
        (tmp_path / "a.npz").write_bytes(b"PK nothing")
        check_refused(call("a.npz"), tmp_path, "a.npz: is no readable .npz")
        with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
            archive.writestr("X.npy", b"nothing")
        check_refused(call("b.npz"), tmp_path, "b.npz: 'X' is no array")

    def test_a_sparse_matrix_with_wrong_indices_is_not_used(self, tmp_path):
        graph = sparse.csr_array(np.eye(3))
        np.savez(
            tmp_path / "a.npz", format=np.array(b"csr"), shape=graph.shape, data=graph.data,
            indices=np.array([0, 10**6, 2], np.int32), indptr=graph.indptr,
        )  # fmt: skip
        check_refused(call("a.npz"), tmp_path, "a.npz: is no sparse matrix of scipy")

    def test_edges_of_nodes_beyond_all_measure(self, tmp_path):
        np.savez(tmp_path / "a.npz", edges=np.array([[0, 10**12]]))
        check_refused(call("a.npz"), tmp_path, "1 edges among 1000000000001 nodes")

    def test_options_for_other_files(self, tmp_path):
        np.save(tmp_path / "a.npy", POINTS)
        result = call("a.npy", "--id-column", "x")
        check_refused(result, tmp_path, "--id-column is for files that end in .csv or .parquet")
        check_refused(call("a.npy", "--scribbles", "b.png"), tmp_path, "a.npy: is no image")


class TestEdges:
    TEXT = "# two triangles\na b\nb c 1\nc a\nc d 0.1\nd e\ne,f\nf;d\nb a 1\n"

    def test_named_nodes_and_their_constraints(self, tmp_path):
        (tmp_path / "g.edges").write_text(self.TEXT)
        (tmp_path / "pairs.csv").write_text("i,j,weight\na,b,1\na,f,-1\n")
        result = call("g.edges", "--constraints", "pairs.csv")
        assert result.exit_code == 0, result.output
        lines = (tmp_path / "g-labels.csv").read_text().splitlines()
        assert [line.split(",")[0] for line in lines] == ["node", *"abcdef"]
        labels = [line.split(",")[1] for line in lines[1:]]
        assert len({*labels[:3]}) == len({*labels[3:]}) == 1
        assert labels[0] != labels[3]

    def test_numbered_nodes_are_in_order_and_a_header_is_skipped(self, tmp_path):
        (tmp_path / "g.tsv").write_text("source\ttarget\n10\t9\n9\t2\n2\t10\n")
        assert call("g.tsv", "--clusters", 1).exit_code == 0
        assert (tmp_path / "g-labels.csv").read_text() == "node,label\n2,0\n9,0\n10,0\n"

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("# nothing\n", ["has no edges"]),
            ("a b\nc\n", ["line 2: 1 cells"]),
            ("1 2 3 4\n", ["line 1: 4 cells", ".csv"]),
            ("a b x\n", ["line 1, column '3': a weight must be a positive number, got 'x'"]),
            ("a b 1\nb c -1\n", ["line 2, column '3'", "got '-1'"]),
        ],
    )
    def test_malformed_edges_are_one_line(self, tmp_path, text, words):
        (tmp_path / "g.txt").write_text(text)
        check_refused(call("g.txt"), tmp_path, "g.txt", *words)

    def test_points_have_no_place_in_a_graph(self, tmp_path):
        (tmp_path / "g.txt").write_text(self.TEXT)
        check_refused(call("g.txt", "--affinity", "rbf"), tmp_path, "is a graph")
        check_refused(call("g.txt", "--standardize"), tmp_path, "this is a graph")


class TestImages:
    @pytest.fixture
    def photo(self, tmp_path):
        """Dark left, bright right, and strokes on both sides."""
        pixels = np.random.default_rng(0).integers(0, 30, (16, 20, 3)).astype(np.uint8)
        pixels[:, 10:] += 180
        Image.fromarray(pixels).save(tmp_path / "photo.png")
        strokes = np.zeros((16, 20, 4), np.uint8)
        strokes[4:6, 2:5] = 255, 0, 0, 255
        strokes[4:6, 14:17] = 0, 0, 0, 255
        Image.fromarray(strokes).save(tmp_path / "strokes.png")
        return tmp_path

    def check_halves(self, path):
        with Image.open(path) as image:
            assert image.mode == "P"
            labels = np.asarray(image)
        assert labels.shape == (16, 20)
        assert np.ptp(labels[:, :10]) == np.ptp(labels[:, 10:]) == 0
        assert sorted({labels[0, 0], labels[0, 19]}) == [0, 1]

    def test_strokes_part_a_photograph(self, photo):
        command = ["fit", "photo.png", "--scribbles", "strokes.png", "--output", "out/"]
        result = CliRunner().invoke(sidecut, command)
        assert result.exit_code == 0, result.output
        self.check_halves(photo / "out" / "labels.png")
        report = json.loads((photo / "out" / "report.json").read_text())
        assert report["report"]["satisfaction"]["cannot"]["count"] == 36
        assert (photo / "out" / "picture.png").stat().st_size > 1000

    @pytest.mark.parametrize("mode", ["P", "L", "RGB"])
    def test_where_nothing_is_transparent_0_is_no_stroke(self, photo, mode):
        marks = np.zeros((16, 20), np.uint8)
        marks[4:6, 2:5], marks[4:6, 14:17] = 1, 2
        image = Image.fromarray(marks)
        if mode == "P":
            image.putpalette([9, 9, 9, 200, 0, 0, 0, 200, 0])
        elif mode == "RGB":
            image = image.convert("RGB")
        image.save(photo / "strokes.png")
        result = call("photo.png", "--scribbles", "strokes.png", "--json")
        satisfaction = json.loads(result.stdout)["report"]["satisfaction"]
        assert satisfaction["cannot"]["count"] == 36
        self.check_halves(photo / "photo-labels.png")

    def test_a_jpeg_turned_by_its_camera(self, photo):
        exif = Image.Exif()
        exif[0x0112] = 6
        with Image.open(photo / "photo.png") as image:
            image.save(photo / "turned.jpg", exif=exif)
        assert images.read_image(photo / "turned.jpg").shape == (20, 16, 3)

    def test_sixteen_bits_are_kept(self, tmp_path):
        deep = np.array([[0, 1000], [30000, 60000]], np.uint16)
        Image.fromarray(deep).save(tmp_path / "deep.png")
        assert images.read_image(tmp_path / "deep.png").tolist() == deep.tolist()

    def test_an_image_without_strokes(self, photo):
        Image.new("RGBA", (20, 16)).save(photo / "strokes.png")
        result = call("photo.png", "--scribbles", "strokes.png")
        check_refused(result, photo, "strokes.png: has no strokes")

    def test_strokes_of_another_size(self, photo):
        Image.new("L", (5, 4), 1).save(photo / "strokes.png")
        result = call("photo.png", "--scribbles", "strokes.png")
        check_refused(result, photo, "strokes.png: is 5 × 4 pixels, the photograph 20 × 16")

    def test_strokes_of_many_colours(self, photo):
        noise = np.random.default_rng(0).integers(1, 255, (16, 20, 3)).astype(np.uint8)
        Image.fromarray(noise).save(photo / "strokes.png")
        result = call("photo.png", "--scribbles", "strokes.png")
        check_refused(result, photo, "strokes.png: has ", "colours, at most 32")

    def test_a_photograph_too_large(self, photo, monkeypatch):
        monkeypatch.setattr(images, "MAX_PIXELS", 100)
        check_refused(call("photo.png"), photo, "photo.png: is 20 × 16 pixels, at most 100")

    def test_a_decompression_bomb(self, photo, monkeypatch):
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 200)
        check_refused(call("photo.png"), photo, "photo.png: is too large")
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
        check_refused(call("photo.png"), photo, "photo.png: is too large")

    def test_damaged_and_disguised_images(self, photo):
        whole = (photo / "photo.png").read_bytes()
        (photo / "photo.png").write_bytes(whole[: len(whole) // 2])
        check_refused(call("photo.png"), photo, "photo.png: is damaged")
        (photo / "photo.png").write_bytes(b"GIF89a nothing")
        check_refused(call("photo.png"), photo, "photo.png: is no PNG or JPEG")

    def test_without_pillow(self, photo, monkeypatch):
        monkeypatch.setitem(sys.modules, "PIL", None)
        check_refused(call("photo.png"), photo, "pip install 'sidecut[image]'")

    def test_more_clusters_than_a_label_image_holds(self, photo):
        result = call("photo.png", "--clusters", 257)
        check_refused(result, photo, "--clusters must be at most 256, got 257")


class TestPlaces:
    def test_a_missing_input_and_an_unknown_kind(self, tmp_path):
        check_refused(call("no.csv"), tmp_path, "no.csv: does not exist")
        (tmp_path / "x.xlsx").write_text("")
        check_refused(call("x.xlsx"), tmp_path, "x.xlsx: the name must end in one of .csv")
        (tmp_path / "folder.csv").mkdir()
        check_refused(call("folder.csv"), tmp_path, "folder.csv: is not a file")

    def test_an_output_folder_that_cannot_be_made(self, points):
        (points / "file").write_text("")
        check_refused(
            call("points.csv", "--output", "file/out/"), points, "cannot write to file/out"
        )

    def test_an_output_folder_that_cannot_be_written_to(self, points, monkeypatch):
        def refuse(*args, **kwargs):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("sidecut.cli.output.tempfile.mkdtemp", refuse)
        result = call("points.csv", "--output", "new/deep/")
        check_refused(result, points, "cannot write to new/deep: Permission denied")
        assert not (points / "new").exists()

    def test_a_folder_in_the_way_of_a_file(self, points):
        (points / "out" / "report.json").mkdir(parents=True)
        result = call("points.csv", "--output", "out/")
        assert result.exit_code == 1
        assert "cannot write out/report.json: a folder is there" in result.stderr
        assert [path.name for path in (points / "out").iterdir()] == ["report.json"]

    def test_an_error_late_in_the_run_leaves_nothing(self, points, monkeypatch):
        def fail(*args, **kwargs):
            raise ValueError("the pen broke")

        monkeypatch.setattr("sidecut.cli.fit.save_picture", fail)
        command = ["fit", "points.csv", "--neighbors", "5", "--output", "new/"]
        check_refused(CliRunner().invoke(sidecut, command), points, "the pen broke")
        assert not (points / "new").exists()

    def test_a_picture_without_matplotlib(self, points, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        result = CliRunner().invoke(sidecut, ["fit", "points.csv"])
        check_refused(result, points, "pip install 'sidecut[plot]', or say --no-picture")
        assert call("points.csv").exit_code == 0

    def test_an_rbf_graph_of_too_many_points(self, points, monkeypatch):
        monkeypatch.setattr(prepare, "MAX_RBF", 10)
        check_refused(call("points.csv", "--affinity", "rbf"), points, "has 12 rows", "10 at most")

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
        check_refused(call("points.csv", option, value), points, option, code=2)
