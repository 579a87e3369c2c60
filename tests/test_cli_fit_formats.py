from __future__ import annotations

import json
import sys
import zipfile

import numpy as np
import pytest
from command import call
from fitting import GROUPS, POINTS, call_fit, check_groups, check_refused, labels_of
from PIL import Image
from scipy import sparse

from sidecut.read import arrays, images

pytestmark = pytest.mark.usefixtures("empty_folder")


class TestArrays:
    def test_points_from_npy_and_npz(self, tmp_path):
        np.save(tmp_path / "a.npy", POINTS.astype(np.float32))
        known = np.where(np.arange(12) % 6 < 2, GROUPS, -1)
        np.savez(tmp_path / "b.npz", X=POINTS, y=known, other=np.zeros(3))
        assert call_fit("a.npy").exit_code == 0
        check_groups(labels_of(tmp_path / "a-labels.csv"))
        result = call_fit("b.npz", "--label-column", "y", "--json")
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
            result = call_fit(name, *options)
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
            check_refused(call_fit(name), tmp_path, name, "it holds pickled objects")
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
        check_refused(call_fit("a.npy"), tmp_path, "a.npy", word)

    def test_an_array_that_claims_more_than_its_file_holds(self, tmp_path):
        np.save(tmp_path / "a.npy", POINTS)
        whole = (tmp_path / "a.npy").read_bytes()
        claim = whole.replace(b"(12, 2), }" + b" " * 12, b"(900000000000, 2), }  ")
        assert claim != whole
        assert len(claim) == len(whole)
        (tmp_path / "a.npy").write_bytes(claim)
        check_refused(call_fit("a.npy"), tmp_path, "a.npy: is no readable .npy")

    def test_which_array(self, tmp_path):
        np.savez(tmp_path / "a.npz", one=POINTS, two=POINTS)
        check_refused(
            call_fit("a.npz"), tmp_path, "which array? say --array; there are 'one', 'two'"
        )
        assert call_fit("a.npz", "--array", "two").exit_code == 0
        assert "no array 'three'" in call_fit("a.npz", "--array", "three", "--output", "x").stderr

    def test_an_archive_that_unpacks_to_too_much(self, tmp_path, monkeypatch):
        monkeypatch.setattr(arrays, "MAX_BYTES", 10_000)
        np.savez_compressed(tmp_path / "a.npz", X=np.zeros((100, 100)))
        check_refused(call_fit("a.npz"), tmp_path, "a.npz: unpacks to", "at most 10000")

    def test_broken_archives(self, tmp_path):
        (tmp_path / "a.npz").write_bytes(b"PK nothing")
        check_refused(call_fit("a.npz"), tmp_path, "a.npz: is no readable .npz")
        with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
            archive.writestr("X.npy", b"nothing")
        check_refused(call_fit("b.npz"), tmp_path, "b.npz: 'X' is no array")

    def test_a_sparse_matrix_with_wrong_indices_is_not_used(self, tmp_path):
        graph = sparse.csr_array(np.eye(3))
        np.savez(
            tmp_path / "a.npz", format=np.array(b"csr"), shape=graph.shape, data=graph.data,
            indices=np.array([0, 10**6, 2], np.int32), indptr=graph.indptr,
        )  # fmt: skip
        check_refused(call_fit("a.npz"), tmp_path, "a.npz: is no sparse matrix of scipy")

    def test_edges_of_nodes_beyond_all_measure(self, tmp_path):
        np.savez(tmp_path / "a.npz", edges=np.array([[0, 10**12]]))
        check_refused(call_fit("a.npz"), tmp_path, "1 edges among 1000000000001 nodes")

    def test_options_for_other_files(self, tmp_path):
        np.save(tmp_path / "a.npy", POINTS)
        result = call_fit("a.npy", "--id-column", "x")
        check_refused(result, tmp_path, "--id-column is for files that end in .csv or .parquet")
        check_refused(call_fit("a.npy", "--scribbles", "b.png"), tmp_path, "a.npy: is no image")


class TestEdges:
    TEXT = "# two triangles\na b\nb c 1\nc a\nc d 0.1\nd e\ne,f\nf;d\nb a 1\n"

    def test_named_nodes_and_their_constraints(self, tmp_path):
        (tmp_path / "g.edges").write_text(self.TEXT)
        (tmp_path / "pairs.csv").write_text("i,j,weight\na,b,1\na,f,-1\n")
        result = call_fit("g.edges", "--constraints", "pairs.csv")
        assert result.exit_code == 0, result.output
        lines = (tmp_path / "g-labels.csv").read_text().splitlines()
        assert [line.split(",")[0] for line in lines] == ["node", *"abcdef"]
        labels = [line.split(",")[1] for line in lines[1:]]
        assert len({*labels[:3]}) == len({*labels[3:]}) == 1
        assert labels[0] != labels[3]

    def test_numbered_nodes_are_in_order_and_a_header_is_skipped(self, tmp_path):
        (tmp_path / "g.tsv").write_text("source\ttarget\n10\t9\n9\t2\n2\t10\n")
        assert call_fit("g.tsv", "--clusters", 1).exit_code == 0
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
        check_refused(call_fit("g.txt"), tmp_path, "g.txt", *words)

    def test_points_have_no_place_in_a_graph(self, tmp_path):
        (tmp_path / "g.txt").write_text(self.TEXT)
        check_refused(call_fit("g.txt", "--affinity", "rbf"), tmp_path, "is a graph")
        check_refused(call_fit("g.txt", "--standardize"), tmp_path, "this is a graph")


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
        result = call(*command)
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
        result = call_fit("photo.png", "--scribbles", "strokes.png", "--json")
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
        result = call_fit("photo.png", "--scribbles", "strokes.png")
        check_refused(result, photo, "strokes.png: has no strokes")

    def test_strokes_of_another_size(self, photo):
        Image.new("L", (5, 4), 1).save(photo / "strokes.png")
        result = call_fit("photo.png", "--scribbles", "strokes.png")
        check_refused(result, photo, "strokes.png: is 5 × 4 pixels, the photograph 20 × 16")

    def test_strokes_of_many_colours(self, photo):
        noise = np.random.default_rng(0).integers(1, 255, (16, 20, 3)).astype(np.uint8)
        Image.fromarray(noise).save(photo / "strokes.png")
        result = call_fit("photo.png", "--scribbles", "strokes.png")
        check_refused(result, photo, "strokes.png: has ", "colours, at most 32")

    def test_a_photograph_too_large(self, photo, monkeypatch):
        monkeypatch.setattr(images, "MAX_PIXELS", 100)
        check_refused(call_fit("photo.png"), photo, "photo.png: is 20 × 16 pixels, at most 100")

    def test_a_decompression_bomb(self, photo, monkeypatch):
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 200)
        check_refused(call_fit("photo.png"), photo, "photo.png: is too large")
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
        check_refused(call_fit("photo.png"), photo, "photo.png: is too large")

    def test_damaged_and_disguised_images(self, photo):
        whole = (photo / "photo.png").read_bytes()
        (photo / "photo.png").write_bytes(whole[: len(whole) // 2])
        check_refused(call_fit("photo.png"), photo, "photo.png: is damaged")
        (photo / "photo.png").write_bytes(b"GIF89a nothing")
        check_refused(call_fit("photo.png"), photo, "photo.png: is no PNG or JPEG")

    def test_without_pillow(self, photo, monkeypatch):
        monkeypatch.setitem(sys.modules, "PIL", None)
        check_refused(call_fit("photo.png"), photo, "pip install 'sidecut[image]'")

    def test_more_clusters_than_a_label_image_holds(self, photo):
        result = call_fit("photo.png", "--clusters", 257)
        check_refused(result, photo, "--clusters must be at most 256, got 257")
