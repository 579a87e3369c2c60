"""The experiments at tiny settings: records, claims, interruption and bad output folders."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest

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
from sidecut.experiments._runner import run_trials

VERDICTS = {_claims.HOLDS, _claims.PARTLY, _claims.FAILS, _claims.NOT_RUN}


def judged(module, records):
    """Return the verdicts by claim, after checking their form."""
    found = {}
    for claim in module.CLAIMS:
        text, verdict = claim.judge(records)
        assert verdict in VERDICTS
        assert bool(text) == (verdict != _claims.NOT_RUN)
        found[claim.text] = (text, verdict)
    return found


# -- the runner ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Square:
    number: int
    square: np.ndarray


CALLS: list[int] = []


def square(number):
    CALLS.append(number)
    return [Square(number, np.array([[number**2]], dtype=np.int16))]


def trials(*numbers):
    return [{"number": number} for number in numbers]


def test_finished_trials_are_not_run_again(tmp_path):
    CALLS.clear()
    steps = []
    first = run_trials("squares", trials(1, 2), square, Square, output=tmp_path)
    both = run_trials(
        "squares",
        trials(3, 1),
        square,
        Square,
        output=tmp_path,
        callback=lambda *step: steps.append(step),
    )
    assert CALLS == [1, 2, 3]
    assert [r.number for r in both] == [3, 1]
    assert steps == [("squares", 1, 0.5), ("squares", 2, 1.0)]
    np.testing.assert_array_equal(both[1].square, first[0].square)
    assert both[1].square.dtype == np.int16


def test_a_trial_that_was_cut_off_is_run_again(tmp_path):
    CALLS.clear()
    run_trials("squares", trials(1, 2), square, Square, output=tmp_path)
    path = tmp_path / "squares.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    found = run_trials("squares", trials(1, 2), square, Square, output=tmp_path)
    assert CALLS == [1, 2, 2]
    assert [int(r.square[0, 0]) for r in found] == [1, 4]
    assert path.read_bytes() == whole


def test_a_failing_trial_keeps_those_before_it(tmp_path):
    with pytest.raises(TypeError):
        run_trials("squares", trials(5, "x"), square, Square, output=tmp_path)
    (line,) = (tmp_path / "squares.jsonl").read_text().splitlines()
    assert json.loads(line)["rows"][0]["number"] == 5


def test_a_file_of_another_kind_is_named(tmp_path):
    (tmp_path / "squares.jsonl").write_text("nonsense\n")
    with pytest.raises(ValueError, match=r"squares.jsonl, line 1 is no finished trial"):
        run_trials("squares", trials(1), square, Square, output=tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"output .*file cannot be written"):
        run_trials("squares", trials(1), square, Square, output=tmp_path / "file")


def test_two_jobs_give_what_one_gives():
    one = six_nodes.run(six_nodes.QUICK)
    two = six_nodes.run(six_nodes.QUICK, n_jobs=2)
    assert [r.threshold for r in one] == [r.threshold for r in two]
    np.testing.assert_array_equal(one[1].indicator, two[1].indicator)


# -- the experiments -----------------------------------------------------------------------------


def test_every_experiment_has_the_same_face():
    for name in EXPERIMENTS:
        module = experiment(name)
        assert callable(module.run)
        assert isinstance(module.QUICK, module.Settings)
        assert isinstance(module.FULL, module.Settings)
        assert all(isinstance(claim, _claims.Claim) for claim in module.CLAIMS)
    with pytest.raises(ValueError, match="name must be one of"):
        experiment("fig99")


def test_six_nodes_as_in_the_paper():
    found = judged(six_nodes, six_nodes.run())
    assert {verdict for _, verdict in found.values()} == {"holds"}


def test_motivation():
    records = motivation.run(replace(motivation.QUICK, seeds=(0, 1)))
    assert [r.panel for r in records[:4]] == list(motivation.PANELS)
    assert records[3].pairs.shape == (30, 2)
    assert judged(motivation, records)


def test_numerical_range():
    records = numerical_range.run()
    assert len(records[0].unconstrained) == 99
    found = judged(numerical_range, records)
    assert {verdict for _, verdict in found.values()} == {"holds"}


def test_moons():
    records = moons.run(moons.Settings(stops=(5, 100), n_samples=2, n_sets=2, every=2))
    means = moons.mean_ari(records, moons.SPARSE)
    assert means["CSP", 100] > 0.9 > means["plain", 0]
    assert {"CSP", "ours", "plain"} == {r.method for r in records}
    judged(moons, records)


def test_wrong_pairs_are_all_wrong_and_all_there():
    truth, labels = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0])
    first, second = uci.wrong_pairs(truth, labels)
    wrong = {
        (i, j)
        for i in range(5)
        for j in range(i + 1, 5)
        if (truth[i] == truth[j]) != (labels[i] == labels[j])
    }
    assert set(zip(first.tolist(), second.tolist(), strict=True)) == wrong


def test_uci(data_home):
    records = uci.run(uci.Settings(datasets=("hepatitis", "iris"), stops=(50, 300), n_draws=1))
    scores = uci.mean_scores(records)
    assert {method for _, _, method in scores} == set(uci.METHODS)
    satisfied = uci.mean_scores(records, "satisfied")
    for dataset in ("hepatitis", "iris"):
        # The pairs are those that the plain cut gets wrong, and hard means all of them.
        assert satisfied[dataset, 300, "baseline"][0] == 0
        assert satisfied[dataset, 300, "ours, hard"][0] == 1
        assert scores[dataset, 300, "CSP"][0] > scores[dataset, 300, "baseline"][0]
        assert scores[dataset, 300, "ours, hard"][0] > 0.9
    judged(uci, records)


def test_the_least_cut_is_found_whatever_the_sign():
    u = np.array([5.0, 5, 4, 2, 1, 1])
    affinity = np.array(
        [[0, 1, 1, 0, 0, 0], [1, 0, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0],
         [0, 0, 1, 0, 1, 1], [0, 0, 0, 1, 0, 1], [0, 0, 0, 1, 1, 0]], dtype=float)  # fmt: skip
    split = segmentation.least_cut_split(affinity, u)
    np.testing.assert_array_equal(split, [True, True, True, False, False, False])


def test_pictures_are_cut_as_the_blocks_ask(data_home):
    pytest.importorskip("PIL")
    records = segmentation.run(replace(segmentation.QUICK, full_size=False))
    found = {(r.image_id, r.constraint_set): r for r in records}
    assert found[segmentation.ELEPHANTS, 1].labels.shape == (32, 48)
    assert (found[segmentation.ELEPHANTS, 1].marks > 0).sum() == 100
    for place, record in found.items():
        if place[1] > 0:
            assert record.iou > 0.8, place
        else:
            assert record.iou < 0.8, place
    verdicts = [verdict for _, verdict in judged(segmentation, records).values()]
    assert verdicts == ["holds"] * 6 + ["not run"] * 8


def test_scribbles(data_home):
    pytest.importorskip("skimage")
    records = scribbles.run(scribbles.Settings(images=("189080",)))
    assert [r.method for r in records] == ["random walker", "ours"]
    assert records[1].iou > records[0].iou + 0.08
    assert records[1].mask.shape == (481, 321)
    judged(scribbles, records)


def test_documents(data_home):
    records = documents.run(documents.Settings(sources=(0,), n_documents=200, n_draws=1))
    assert len(records) == 2 * 3 * (5 + 4)
    assert set(documents.mean_lead(records)) == set(documents.READOUTS)
    judged(documents, records)


def test_scans(data_home):
    records = scans.run(scans.Settings(n_persons=2, sites=("ohsu",)))
    assert [r.part for r in records] == ["transfer"] * 2 + ["cost"] * 26
    assert all(0 < r.cost < 2 for r in records[2:])
    judged(scans, records)


def test_ranks_within_a_site_decide():
    def person(group, site, cost):
        return scans.ScanRecord("cost", "x", group, site, cost=cost)

    # One site costs more than the other whatever the group: that alone must not count.
    records = [person("ASD", "a", 10 + k) for k in range(8)]
    records += [person("control", "b", k) for k in range(8)]
    records += [person("ASD", "b", k + 0.5) for k in range(8)]
    records += [person("control", "a", 10.5 + k) for k in range(8)]
    assert scans.group_test(records, ["a", "b"]) > 0.1
    dearer = [replace(r, cost=r.cost + 20 * (r.group == "ASD")) for r in records]
    assert scans.group_test(dearer, ["a", "b"]) < 0.001


def test_no_optional_package_is_imported():
    names = ",".join(f"sidecut.experiments.{name}" for name in EXPERIMENTS)
    code = f"import sys, {names}; print({{'skimage', 'PIL', 'matplotlib'}} & {{*sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
