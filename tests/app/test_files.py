"""Sessions and uploads: what is written opens again, what is forged or broken is refused."""

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from scipy import sparse

from sidecut.app.session_file import Saved, load, save
from sidecut.app.state import open_file, open_upload
from sidecut.app.statements import Link
from sidecut.app.subject import Subject
from sidecut.app.uploads import MAX_UPLOAD, _plain

from .subjects import answered, claiming_png, halves, opened


class TestSessions:
    def test_a_photograph_opens_again(self, photo, tmp_path):
        photo.draw(1, 2, [(5, 5), (20, 35)])
        photo.draw(2, 2.5, [(35, 5), (56, 35)])
        photo.follow(7)
        labels = answered(photo)
        name, content = photo.export("session")
        (tmp_path / name).write_bytes(content)
        saved = open_file(tmp_path / name)
        assert isinstance(saved, Saved)
        again = opened(saved)
        assert again.statements == photo.statements
        assert again.mu == photo.mu
        assert np.array_equal(answered(again), labels)

    def test_points_and_graphs_open_again(self, moons, tmp_path):
        moons.link(3, 9, together=True, weight=0.3)
        moons.mark(2, [1, 2, 3])
        moons.n_clusters = 3
        graph = Subject("graph", "g", sparse.csr_array(np.ones((4, 4))), names=("a", "b", "c", "d"))
        for saved in (
            Saved(moons.ready.subject, moons.statements, 3, None),
            Saved(graph, (Link(0, 3, together=False),), 2, 1.5),
        ):
            (tmp_path / "s.npz").write_bytes(save(saved))
            found = load(tmp_path / "s.npz")
            assert found.statements == saved.statements
            assert (found.n_clusters, found.mu) == (saved.n_clusters, saved.mu)
            assert found.subject.names == saved.subject.names
            one, two = found.subject.data, saved.subject.data
            assert np.array_equal(*(m.toarray() if sparse.issparse(m) else m for m in (one, two)))

    @pytest.mark.parametrize(
        "change",
        [
            {
                "statements": [
                    {"is": "link", "first": 0, "second": 4000, "together": 1, "weight": 1}
                ]
            },
            {"statements": [{"is": "stroke", "label": 1, "radius": 2, "places": [[1, 1]]}]},
            {"statements": [{"is": "link", "first": 0, "second": 1, "together": 1, "weight": -1}]},
            {"statements": [{"is": "mark", "label": 99, "nodes": [1]}]},
            {"statements": [{"is": "__import__"}]},
            {"statements": 7},
            {"n_clusters": 10**9},
            {"mu": "1; import os"},
            {"kind": "image"},
            {"names": ["only one"]},
        ],
    )
    def test_a_forged_session_is_refused(self, moons, tmp_path, change):
        with np.load(io.BytesIO(moons.export("session")[1])) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays["about"].tobytes()) | change
        arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        np.savez(tmp_path / "forged.npz", **arrays)
        with pytest.raises(ValueError, match="no valid session"):
            open_file(tmp_path / "forged.npz")


class TestUploads:
    def test_what_is_wrong_is_said(self):
        file = io.BytesIO()
        Image.fromarray(halves()).save(file, "PNG")
        pickled = io.BytesIO()
        np.savez(pickled, X=np.array([{"a": 1}, 2], dtype=object))
        cases = [
            ("notes.png", b"this is no image", "notes.png: is no PNG or JPEG"),
            ("huge.png", claiming_png(30_000, 30_000), "huge.png: is too large"),
            ("cut.png", file.getvalue()[:900], "cut.png: is damaged"),
            ("words.csv", b"x,y\n1,2\n3,four\n", "line 3, column 'y'.*'four'"),
            ("objects.npz", pickled.getvalue(), "pickled"),
            ("what.exe", b"MZ", "must end in"),
            ("empty.csv", b"", "empty"),
            ("one.csv", b"x,y\n1,2\n", "1 rows"),
            ("not.npz", b"PK nonsense", "no readable .npz"),
        ]
        for name, content, message in cases:
            with pytest.raises(ValueError, match=message) as caught:
                open_upload(name, content)
            assert "/tmp" not in str(caught.value)

    def test_limits(self):
        with pytest.raises(ValueError, match="32 MB"):
            open_upload("big.csv", b"0" * (MAX_UPLOAD + 1))
        bomb = io.BytesIO()
        with (
            zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open("X.npy", "w", force_zip64=True) as entry,
        ):
            for _ in range(600):
                entry.write(bytes(1024**2))
        with pytest.raises(ValueError, match="unpacks to 600 MB"):
            open_upload("bomb.npz", bomb.getvalue())

    def test_names_cannot_leave_their_folder(self):
        assert _plain("../../etc/passwd.png") == "passwd.png"
        assert _plain("C:\\x\\<b>evil</b>.csv") == "b_.csv"
        assert _plain("...") == "upload"
        assert _plain("a\0b\n.csv") == "a_b_.csv"

    def test_good_files_open(self, tmp_path):
        assert open_upload("p.csv", b"a,b\n1,2\n3,4\n5,6\n").n_samples == 3
        graph = open_upload("g.edges", b"x y\ny z 2\nz x\n")
        assert (graph.kind, graph.names) == ("graph", ("x", "y", "z"))
        points = io.BytesIO()
        np.savez(points, X=np.arange(12.0).reshape(6, 2))
        assert open_upload("p.npz", points.getvalue()).data.shape == (6, 2)


def test_colours_stay_when_a_session_opens_again(moons, tmp_path):
    swapped = 3 - answered(moons)
    moons.show(replace(moons.answer, labels=swapped))
    path = tmp_path / "again.sidecut.npz"
    path.write_bytes(moons.export("session")[1])
    assert np.mean(answered(opened(open_file(path))) == swapped) > 0.99
    path.write_bytes(save(replace(moons.saved(), shown=swapped[1:])))
    with pytest.raises(ValueError, match="its labels have"):
        open_file(path)
