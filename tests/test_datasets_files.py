"""Loaders of real data: what they return, and what they say of damaged files and downloads."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from scipy.io import savemat

from sidecut import datasets
from sidecut.datasets import DatasetError, _checksums, _convert, _fetch, _registry
from sidecut.datasets._files import content_hash, read_npz, read_table

# Table 2 of the paper.
TABLE_2 = {
    "hepatitis": (80, 19),
    "iris": (100, 4),
    "wine": (130, 13),
    "glass": (214, 9),
    "ionosphere": (351, 34),
    "wdbc": (569, 30),
}


@pytest.mark.parametrize(("name", "shape"), TABLE_2.items())
def test_uci_sets_have_the_sizes_of_table_2(data_home, name, shape):
    table = datasets.load_uci(name, data_home=data_home)
    assert table.X.shape == shape
    assert len(table.feature_names) == shape[1]
    assert np.isfinite(table.X).all()
    assert np.unique(table.y).tolist() == [0, 1]
    assert len(table.class_names) == 2


@pytest.mark.parametrize("name", ["iris", "wine", "wdbc"])
def test_the_sets_of_scikit_learn_are_those_of_the_folder(data_home, name):
    stored = read_table(data_home / "uci" / f"{name}.csv")
    table = datasets.load_uci(name)
    classes = np.array(table.class_names)
    rows = np.isin(stored["y"], classes)
    np.testing.assert_array_equal(stored["X"][rows], table.X)
    np.testing.assert_array_equal(stored["y"][rows], classes[table.y])


def test_a_photograph_and_its_people(data_home):
    photograph = datasets.load_bsds(189080, data_home=data_home)
    assert photograph.image.shape == (481, 321, 3)
    assert len(photograph.segmentations) == 6
    assert all(s.shape == (481, 321) and s.min() == 1 for s in photograph.segmentations)


def test_scribbles_lie_inside_what_they_mean(data_home):
    for image in datasets.list_scribbles():
        strokes = datasets.load_scribbles(image, data_home=data_home)
        photograph = datasets.load_bsds(image, data_home=data_home)
        assert strokes.marks.shape == photograph.image.shape[:2]
        assert strokes.mask[strokes.marks == 1].all()
        assert set(np.unique(strokes.marks)) == {0, 1, 2}
    with pytest.raises(ValueError, match="set must be 1 or 2, got 3"):
        datasets.load_scribbles(image, 3, data_home=data_home)


@pytest.mark.parametrize(
    ("name", "shapes", "classes"),
    [
        ("reuters", [(1200, 2000)] * 5, 6),
        ("bbc", [(685, w) for w in (4659, 4633, 4665, 4684)], 5),
        ("bbcsport", [(544, 3183), (544, 3203)], 5),
    ],
)
def test_documents_have_their_views(data_home, name, shapes, classes):
    documents = datasets.load_documents(name, data_home=data_home)
    assert [view.shape for view in documents.views] == shapes
    assert len(documents.view_names) == len(shapes)
    assert np.unique(documents.y).tolist() == list(range(classes))


def test_scans_have_regions_and_groups(data_home):
    abide = datasets.load_abide(data_home=data_home)
    groups = [scan.group for scan in abide.scans]
    assert (groups.count("ASD"), groups.count("control")) == (32, 42)
    assert abide.scans[0].series.shape[1] == len(abide.network) == len(abide.centres) == 200
    assert ((abide.default_mode >= 0) & (abide.default_mode <= 1)).all()
    assert len(datasets.load_abide("ohsu", data_home=data_home).scans) == 26
    stages = datasets.load_stages(data_home=data_home)
    assert [scan.session for scan in stages.scans] == [1, 2] * 14
    assert stages.scans[0].series.shape == (234, 300)
    assert stages.default_mode.sum() == 68


def test_graphs_and_digits(data_home):
    cora = datasets.load_graph("cora", data_home=data_home)
    assert (cora.affinity.shape, cora.affinity.nnz) == ((2708, 2708), 2 * 5278)
    assert abs(cora.affinity - cora.affinity.T).max() == 0
    digits = datasets.load_usps(data_home=data_home)
    assert digits.X.shape == (9298, 256)
    assert np.unique(digits.y).tolist() == list(range(10))


def test_every_file_of_the_folder_is_sound(data_home):
    for info in datasets.list_datasets(data_home=data_home):
        assert info.present, info.name
        assert len(datasets.fetch(info.name, data_home=data_home)) > 0 or info.size == 0


# -- where files are looked for, and what is said when they are not there ------------------------


def test_the_argument_comes_before_the_variable_before_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("SIDECUT_DATA", str(tmp_path / "variable"))
    assert datasets.find_home(tmp_path / "argument") == tmp_path / "argument"
    assert datasets.find_home() == tmp_path / "variable"
    monkeypatch.delenv("SIDECUT_DATA")
    assert datasets.find_home() == tmp_path / "cache" / "sidecut"


def test_an_empty_folder_is_described(tmp_path):
    found = {info.name: info for info in datasets.list_datasets(data_home=tmp_path)}
    assert found["iris"].present  # comes with scikit-learn
    assert not found["glass"].present
    assert found["glass"].fetchable
    assert not found["usps"].fetchable
    assert found["usps"].why_not


def test_what_cannot_be_downloaded_is_said_in_one_line(tmp_path):
    with pytest.raises(DatasetError, match=r"digits/usps.npz is not in .* HDF5") as caught:
        datasets.load_usps(data_home=tmp_path)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="name must be one of"):
        datasets.fetch("mnist")


def test_a_damaged_file_is_refused(tmp_path):
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "cora.npz").write_bytes(b"nothing")
    with pytest.raises(DatasetError, match="does not have the registered checksum"):
        datasets.load_graph("cora", data_home=tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no archive", "is no readable .npz"),
        (b"PK\x03\x04 cut short", "is no readable .npz"),
        (b"", "is no readable .npz"),
    ],
)
def test_malformed_npz(tmp_path, content, message):
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=message) as caught:
        read_npz(path)
    assert "\n" not in str(caught.value)


def test_pickles_are_refused(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, y=np.array([{"a": 1}], dtype=object))
    with pytest.raises(DatasetError, match="plain arrays"):
        read_npz(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,x\n2\n", "line 3: 1 cells where the header has 2"),
        ("a,b\nword,x\n", "a cell that is no number"),
        ("", "is no readable csv"),
    ],
)
def test_malformed_csv(tmp_path, text, message):
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(DatasetError, match=message):
        read_table(path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": np.zeros(3, int)}, "has no array 'edges'"),
        ({"y": np.zeros(3, int), "edges": np.array([[0, 3]])}, "from 0 to 2"),
    ],
)
def test_a_graph_file_of_another_kind(tmp_path, monkeypatch, arrays, message):
    path = tmp_path / "graph" / "cora.npz"
    path.parent.mkdir()
    np.savez(path, **arrays)
    monkeypatch.setattr(_fetch, "check_file", lambda *_: None)
    with pytest.raises(DatasetError, match=message):
        datasets.load_graph("cora", data_home=tmp_path)


# -- downloads, from a server on this machine ----------------------------------------------------


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class _Truncated(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"1.5,2.5")

    def log_message(self, *_):
        pass


def _serve(handler, monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(_registry, "RAW", f"http://127.0.0.1:{server.server_port}")
    return server


@pytest.fixture
def originals(tmp_path, monkeypatch):
    """Folder in which a server looks for `repository/commit/path`."""
    folder = tmp_path / "originals"
    folder.mkdir()
    server = _serve(partial(_Quiet, directory=folder), monkeypatch)
    yield folder
    server.shutdown()
    server.server_close()


def _publish(folder, path, place=0):
    original = _registry.ORIGINALS[path]
    target = folder / original.repository / original.commit / original.places[place]
    target.parent.mkdir(parents=True)
    return target


def _left_behind(home):
    return [path for path in home.rglob("*") if path.is_file() or path.name.startswith(".partial")]


def test_an_original_csv_is_downloaded_converted_and_checked(
    data_home, originals, tmp_path, monkeypatch
):
    stored = read_table(data_home / "uci" / "glass.csv")
    lines = [
        ",".join([f"{value:.5f}" for value in row] + [kind])
        for row, kind in zip(stored["X"], stored["y"], strict=True)
    ]
    _publish(originals, "uci/glass.csv").write_text("\n".join(lines))
    seen = []
    home = tmp_path / "home"
    datasets.fetch("glass", data_home=home, callback=lambda *step: seen.append(step))
    assert seen[-1][0] == "uci/glass.csv"
    assert seen[-1][2] == 1.0
    ours = datasets.load_uci("glass", data_home=home)
    np.testing.assert_array_equal(ours.X, datasets.load_uci("glass", data_home=data_home).X)
    assert _left_behind(home) == [home / "uci" / "glass.csv"]


def test_hepatitis_is_converted(data_home, originals, tmp_path):
    stored = read_table(data_home / "uci" / "hepatitis.csv")
    rows = [
        [kind, *("?" if np.isnan(value) else f"{value:g}" for value in row)]
        for row, kind in zip(stored["X"], stored["y"], strict=True)
    ]
    text = "\n".join(",".join(row) for row in [["Decesos"] + ["x"] * 19, *rows])
    _publish(originals, "uci/hepatitis.csv").write_text(text)
    table = datasets.load_uci("hepatitis", data_home=tmp_path)
    assert table.X.shape == (80, 19)


def test_a_photograph_is_found_in_any_part(data_home, originals, tmp_path):
    image, people = "bsds/296059.jpg", "bsds/296059_gt.npz"
    shutil.copyfile(data_home / image, _publish(originals, image, place=1))
    cell = np.empty((1, 6), dtype=object)
    with np.load(data_home / people) as file:
        for k in range(6):
            cell[0, k] = {"Segmentation": file[f"seg{k}"].astype(np.uint16)}
    savemat(_publish(originals, people, place=2), {"groundTruth": cell})
    home = tmp_path / "home"
    photograph = datasets.load_bsds(296059, data_home=home)
    expected = datasets.load_bsds(296059, data_home=data_home)
    np.testing.assert_array_equal(photograph.image, expected.image)
    np.testing.assert_array_equal(photograph.segmentations[3], expected.segmentations[3])


@pytest.mark.parametrize("turned", [False, True])
def test_views_are_converted(data_home, originals, tmp_path, turned):
    expected = datasets.load_documents("bbcsport", data_home=data_home)
    cell = np.empty((2, 1), dtype=object)
    for k, view in enumerate(expected.views):
        cell[k, 0] = (view.T if turned else view).toarray()
    original = _publish(originals, "multiview/bbcsport.npz")
    savemat(original, {"X": cell, "y": expected.y[:, None] + 1})
    documents = datasets.load_documents("bbcsport", data_home=tmp_path / "home")
    assert abs(documents.views[1] - expected.views[1]).max() == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,3,4,5,6,7,8,9,1\n", "has changed: wrong checksum"),
        ("1,2\n", "line 1: 2 cells, 10 expected"),
        ("\x00\xff", "1 cells, 10 expected"),
    ],
)
def test_a_changed_original_is_refused(originals, tmp_path, text, message):
    _publish(originals, "uci/glass.csv").write_text(text)
    home = tmp_path / "home"
    with pytest.raises(DatasetError, match=message) as caught:
        datasets.fetch("glass", data_home=home)
    assert "\n" not in str(caught.value)
    assert _left_behind(home) == []


def test_an_original_that_is_no_matlab_file(originals, tmp_path):
    _publish(originals, "multiview/bbc4view.npz").write_bytes(b"<html>not here</html>" * 20)
    with pytest.raises(DatasetError, match=r"original of multiview/bbc4view.npz cannot be read"):
        datasets.fetch("bbc", data_home=tmp_path / "home")
    assert _left_behind(tmp_path / "home") == []


def test_an_absent_original(originals, tmp_path):
    with pytest.raises(DatasetError, match=r"bsds/3096.jpg could not be downloaded: 404") as caught:
        datasets.load_bsds(3096, data_home=tmp_path / "home")
    assert "\n" not in str(caught.value)
    assert _left_behind(tmp_path / "home") == []


def test_a_download_that_breaks_off(tmp_path, monkeypatch):
    server = _serve(_Truncated, monkeypatch)
    with pytest.raises(DatasetError, match=r"uci/glass.csv could not be downloaded") as caught:
        datasets.fetch("glass", data_home=tmp_path)
    server.shutdown()
    server.server_close()
    assert "\n" not in str(caught.value)
    assert _left_behind(tmp_path) == []


def test_a_refused_connection(tmp_path, monkeypatch):
    server = _serve(_Quiet, monkeypatch)
    server.shutdown()
    server.server_close()
    with pytest.raises(DatasetError, match=r"uci/glass.csv could not be downloaded") as caught:
        datasets.fetch("glass", data_home=tmp_path)
    assert "\n" not in str(caught.value)
    assert _left_behind(tmp_path) == []


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DatasetError, match="could not be stored in"):
        datasets.fetch("glass", data_home=tmp_path / "file")


def test_without_pooch_the_install_line_is_given(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(DatasetError, match=r"pip install 'sidecut\[data\]'"):
        datasets.fetch("glass", data_home=tmp_path)


def test_the_registry_agrees_with_itself():
    named = {path for entry in _registry.REGISTRY.values() for path in entry.files}
    assert named == set(_checksums.FILE_SHA256)
    converted = {p for p, o in _registry.ORIGINALS.items() if o.converter != "copy"}
    assert converted == set(_checksums.CONTENT_SHA256)
    assert {o.converter for o in _registry.ORIGINALS.values()} == set(_convert.CONVERTERS)
    for entry in _registry.REGISTRY.values():
        assert bool(entry.why_not) != (set(entry.originals) == set(entry.files)), entry.name


def test_contents_have_one_hash_however_they_are_stored():
    array = np.arange(6, dtype="<f4").reshape(2, 3)
    same = {"x": np.asfortranarray(array).astype(">f4")}
    assert content_hash({"x": array}) == content_hash(same)
    assert content_hash({"x": array}) != content_hash({"x": array.astype("<f8")})
    assert content_hash({"x": array}) != content_hash({"x": array.T})


def test_no_optional_package_is_imported():
    code = "import sys, sidecut.datasets; print({'pooch', 'PIL', 'requests'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
