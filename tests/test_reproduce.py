"""Figures from small records, and the report: complete, escaped, self-contained, whole."""

from __future__ import annotations

import io
import json
import os
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from sidecut.datasets import DatasetError
from sidecut.experiments import (
    EXPERIMENTS,
    _claims,
    documents,
    experiment,
    moons,
    motivation,
    numerical_range,
    scans,
    scribbles,
    segmentation,
    six_nodes,
    uci,
)
from sidecut.reproduce import (
    ITEMS,
    Finding,
    Image,
    ItemResult,
    Machine,
    check_same_versions,
    report_html,
    run_item,
    select,
    write_report,
)
from sidecut.reproduce import run as running
from sidecut.reproduce._content import Table
from sidecut.reproduce.run import as_png

MACHINE = Machine(2, "A & B", "Linux", {"sidecut": "0.1.0", "numpy": "2.0"})
VERDICTS = [_claims.HOLDS, _claims.PARTLY, _claims.FAILS, _claims.NOT_RUN]


def pillow(png):
    return pytest.importorskip("PIL.Image").open(io.BytesIO(png))


def drawn(name, records, settings):
    """Return the content of an item after saving every figure."""
    content = ITEMS[name].draw(records, settings)
    for picture in content.pictures:
        image = pillow(as_png(picture.figure))
        assert image.format == "PNG"
        assert min(image.size) > 200
        # A picture of one colour is no picture.
        assert len(image.convert("RGB").getcolors(1 << 20)) > 10
    for table in content.tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.header)}
    return content


def texts(figure):
    """Return all texts on a figure."""
    import matplotlib.text

    return {text.get_text() for text in figure.findobj(matplotlib.text.Text)}


# -- figures -------------------------------------------------------------------------------------


def test_every_experiment_is_an_item():
    assert [item.name for item in select()] == list(EXPERIMENTS)
    assert [item.name for item in select(("uci", "moons"))] == ["moons", "uci"]
    with pytest.raises(ValueError, match="name must be one of"):
        select(("fig99",))


def test_illustrations():
    settings = replace(motivation.QUICK, seeds=(0, 1))
    first = drawn("motivation", motivation.run(settings), settings)
    assert any("k-means: ARI" in text for text in texts(first.pictures[0].figure))
    second = drawn("six_nodes", six_nodes.run(), six_nodes.QUICK)
    assert [picture.name for picture in second.pictures] == ["fig02", "fig03"]
    assert {"no constraints", "β = vol", "β = 2 vol"} <= texts(second.pictures[1].figure)
    records = numerical_range.run()
    third = drawn("numerical_range", records, numerical_range.QUICK)
    # The range is convex and holds every cut.
    outline = third.pictures[0].figure.axes[0].patches[0].get_xy()
    cuts = np.vstack([records[0].unconstrained, records[0].feasible])
    for side in range(2):
        assert outline[:, side].min() <= cuts[:, side].min() + 1e-6
        assert outline[:, side].max() >= cuts[:, side].max() - 1e-6


def test_moons_show_mean_and_range():
    records = [
        moons.MoonRecord(kind, 0, draw, n, method, ari)
        for kind in (moons.SPARSE, moons.NOISY)
        for method, n, scores in (("plain", 0, [0.4]), ("CSP", 20, [0.2, 0.8]), ("ours", 20, [0.9]))
        for draw, ari in enumerate(scores)
    ]
    settings = moons.Settings(stops=(20,), n_samples=1, n_sets=2)
    content = drawn("moons", records, settings)
    assert ("CSP", "20", "2", "0.50 (0.20 to 0.80)") in content.tables[0].rows
    assert "1 samples × 2 sets" in content.pictures[0].caption
    lines = {
        line.get_label(): line.get_ydata() for line in content.pictures[0].figure.axes[0].lines
    }
    np.testing.assert_allclose(lines["CSP"], [0.5])


def test_uci_shows_every_method():
    records = [
        uci.UciRecord("iris", stop, draw, method, 0.1 * k + 0.1 * draw, 0.5)
        for k, method in enumerate(uci.METHODS)
        for stop in (50, 100)
        for draw in range(2)
    ]
    content = drawn("uci", records, uci.Settings(datasets=("iris",), n_draws=2))
    assert content.tables[0].rows == (("iris", "100", "4"),)
    assert set(uci.METHODS) <= texts(content.pictures[0].figure)
    at_last = content.tables[1]
    assert at_last.rows[0][:3] == ("iris", "100", "0.05 (0.00 to 0.10)")
    assert len(content.tables[2].rows) == 2


def test_scans_show_the_rank_test():
    records = [
        scans.ScanRecord("transfer", "a", "FEP", "", first=0.1, second=0.2, transferred=0.3,
                         between=0.4),
        scans.ScanRecord("transfer", "b", "FEP", "", first=0.3, second=0.2, transferred=0.1,
                         between=0.5),
    ]  # fmt: skip
    for group, costs in ((scans.PATIENTS, (0.8, 0.9, 0.7)), (scans.CONTROLS, (0.5, 0.6, 0.4))):
        records += [
            scans.ScanRecord("cost", "c", group, "kki", cost=cost, similarity=0.5) for cost in costs
        ]
    content = drawn("scans", records, scans.QUICK)
    assert "KKI: p = 0.050" in texts(content.pictures[1].figure)
    assert ("KKI", "ASD", "3", "0.8000", "0.50") in content.tables[1].rows


def test_documents(data_home):
    records = [
        documents.DocumentRecord(
            draw, graph, source, target, readout, 0.2 + 0.1 * bool(source), 0.3
        )
        for draw in range(2)
        for graph in documents.GRAPHS
        for source, target in (("", "English"), ("", "French"), ("English", "French"))
        for readout in documents.READOUTS
    ]
    content = drawn("documents", records, documents.QUICK)
    assert ("English", "1200", "2000") in content.tables[0].rows
    assert len(content.pictures) == len(documents.GRAPHS)
    assert content.tables[1].rows[0][3:] == ("0.200", "0.200", "0.300", "+0.100")


def test_photographs(data_home):
    settings = segmentation.Settings(images=(segmentation.MAN,), full_size=False)
    content = drawn("segmentation", segmentation.run(settings), settings)
    assert [picture.name for picture in content.pictures] == ["fig06"]
    image = scribbles.FULL.images[0]
    mask = np.zeros((321, 481), bool)
    mask[100:200, 100:200] = True
    records = [
        scribbles.ScribbleRecord(image, method, iou, 1.0, mask)
        for method, iou in (("random walker", 0.25), ("ours", 0.75))
    ]
    content = drawn("scribbles", records, scribbles.QUICK)
    assert {"random walker: 0.25", "ours: 0.75"} <= texts(content.pictures[0].figure)
    assert content.tables[0].rows[-1] == ("mean", "0.250", "0.750", "1.0", "1.0")


# -- running -------------------------------------------------------------------------------------


def test_an_item_goes_on_from_its_records(tmp_path):
    steps = []
    for _ in range(2):
        result = run_item(
            ITEMS["six_nodes"], records=tmp_path, callback=lambda *step: steps.append(step)
        )
    assert steps[0] == ("six_nodes", 0, 0.0)
    assert steps[-1] == ("six_nodes", 3, 1.0)
    assert len(steps) == 5
    assert [f.text for f in result.findings] == [c.text for c in six_nodes.CLAIMS]
    assert {f.verdict for f in result.findings} == {_claims.HOLDS}
    assert result.settings == {"thresholds": (0.0, 1.0, 2.0)}
    assert result.missing == ""


@pytest.mark.parametrize("name", ["segmentation", "scribbles", "uci", "documents", "scans"])
def test_missing_data_are_named_and_nothing_is_made_up(name, tmp_path, monkeypatch):
    def offline(dataset, **options):
        raise DatasetError(f"a file of {dataset} is not in {tmp_path}")

    monkeypatch.setattr(running, "fetch", offline)
    monkeypatch.setenv("SIDECUT_DATA", "as before")
    result = run_item(ITEMS[name], data_home=tmp_path)
    assert os.environ["SIDECUT_DATA"] == "as before"
    assert ITEMS[name].datasets[0] in result.missing
    assert "To get it: " in result.missing
    assert str(tmp_path) not in result.missing
    assert (result.images, result.tables) == ((), ())
    claims = experiment(name).CLAIMS
    assert [(f.text, f.measured, f.verdict) for f in result.findings] == [
        (claim.text, "data missing", _claims.NOT_RUN) for claim in claims
    ]
    page = report_html([result], MACHINE, quick=False)
    assert "To get it: " in page
    assert page.count("not run</span>") == len(claims) + 1


def test_data_that_are_read_from_a_folder_only(tmp_path):
    result = run_item(ITEMS["scans"], data_home=tmp_path)
    assert result.missing.startswith("The data set stages (STAGES")
    assert "To get it: take it from izachp/psychosis-FC-prediction" in result.missing


def test_records_of_other_versions_are_refused(tmp_path):
    check_same_versions(tmp_path, MACHINE)
    check_same_versions(tmp_path, replace(MACHINE, cores=8))
    other = replace(MACHINE, versions={"sidecut": "0.2.0", "numpy": "2.0"})
    with pytest.raises(ValueError, match=r"other versions \(sidecut\).*--fresh"):
        check_same_versions(tmp_path, other)
    (tmp_path / "machine.json").write_text(json.dumps([1]))
    with pytest.raises(ValueError, match="no description of a machine"):
        check_same_versions(tmp_path, MACHINE)


# -- the report ----------------------------------------------------------------------------------


class Page(HTMLParser):
    """Tags, attributes and text of a page; an unclosed tag is an error."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def result_of(name="moons", claim="a claim", caption="a caption"):
    findings = tuple(
        Finding("Fig. 7", f"{claim} {k}", f"measured {k}", verdict)
        for k, verdict in enumerate(VERDICTS)
    )
    figure = ITEMS["six_nodes"].draw(six_nodes.run(), six_nodes.QUICK).pictures[0].figure
    return ItemResult(
        name, "a title", findings, (Image("fig99", caption, as_png(figure)),),
        (Table("a table", ("x",), (("1 < 2",),)), Table("folded", ("x",), (("3",),), folded=True)),
        {"stops": (1, 2), "seed": 7}, "notes", 1.0,
    )  # fmt: skip


def test_the_report_holds_every_claim_and_verdict():
    page = Page(report_html([result_of()], MACHINE, quick=True))
    assert page.open == []
    for k, verdict in enumerate(VERDICTS):
        assert f"a claim {k}" in page.text
        assert f"measured {k}{verdict}" in page.text
    assert "1 × holds, 1 × holds in part, 1 × does not hold, 1 × not run." in page.text
    for part in ("quick settings", "stops = 1, 2, seed = 7", "2 cores, A & B, Linux", "numpy 2.0"):
        assert part in page.text
    assert page.tags.count("img") == 1
    assert page.tags.count("details") == 1


def test_the_report_is_escaped_and_asks_for_nothing_outside():
    evil = '<script>alert("x")</script>'
    page = Page(report_html([result_of(claim=evil, caption=f'"{evil}')], MACHINE, quick=False))
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    assert f"{evil} 0" in page.text
    for name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("src", "href"):
            assert value.startswith(("data:image/png;base64,", "#"))
    assert "url(" not in page.text


def test_the_files_of_a_report(tmp_path):
    written = write_report(tmp_path / "new", [result_of()], MACHINE, quick=True)
    assert [path.name for path in written] == ["report.html", "fig99.png"]
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"report.html", "fig99.png"}
    assert pillow(written[1].read_bytes()).format == "PNG"
    assert str(tmp_path) not in written[0].read_text(encoding="utf-8")


def test_a_report_that_cannot_be_finished_leaves_the_old_one(tmp_path, monkeypatch):
    (tmp_path / "report.html").write_text("old")
    write_bytes = Path.write_bytes

    def full_disk(self, data):
        write_bytes(self, data[:10])
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(OSError, match="no space left"):
        write_report(tmp_path, [result_of()], MACHINE, quick=True)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text() == "old"


def test_the_machine_is_described_without_paths():
    text = str(Machine.here())
    assert "/" not in text.replace("(R)", "")
    for name in ("cores", "Python", "numpy", "scipy", "scikit-learn"):
        assert name in text
