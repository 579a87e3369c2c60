from __future__ import annotations

import csv
import json
import os
from dataclasses import replace

import bench_methods
import numpy as np
import pytest

from sidecut.bench import cases, methods
from sidecut.bench.accuracy import plan, run
from sidecut.bench.leaderboard import leaderboard
from sidecut.bench.plots import plot_accuracy
from sidecut.bench.results import COLUMNS, ResultFile, Settings, write_parquet
from sidecut.bench.summary import standings, summarize
from sidecut.bench.trials import Result, Trial, draw_seed, run_trial
from sidecut.bench.workers import cpu_seconds, run_trials
from sidecut.constraints import Constraints
from sidecut.datasets import UCI_NAMES

SETTINGS = Settings(True, 0, 60.0, 2, "a processor", 2, {"python": "3", "sidecut": "0"})
nan = float("nan")


def method(name):
    return methods.Method(name, getattr(bench_methods, name))


def tiny_case(dataset="tiny", graph="knn"):
    """Eight nodes in two cliques; `Plain` says 0, 1, 0, 1, ..."""
    truth = np.arange(8) % 2
    return cases.Case(dataset, graph, (truth[:, None] == truth).astype(float), truth)


def results(scores, **fields):
    """Results of methods from {name: ARI per draw}; None stands for a refusal."""
    return [
        Result("wine", "knn", name, 20, draw, "refused", message="too large")
        if ari is None
        else replace(Result("wine", "knn", name, 20, draw), ari=ari, nmi=ari, **fields)
        for name, draws in scores.items()
        for draw, ari in enumerate(draws)
    ]


class TestCases:
    def test_the_moons_need_no_data_folder(self):
        case = cases.load_case("moons-0.2", "rbf", None)
        assert case.affinity.shape == (600, 600)
        assert case.n_clusters == 2
        assert cases.why_missing("moons-0.2", None) is None

    @pytest.mark.parametrize(
        ("dataset", "graph", "n", "k"),
        [
            ("hepatitis", "knn", 80, 2),
            ("iris", "rbf", 100, 2),
            ("wine", "knn", 130, 2),
            ("glass", "knn", 214, 2),
            ("ionosphere", "knn", 351, 2),
            ("wdbc", "rbf", 569, 2),
            ("cora", "whole", 2708, 7),
            ("cora", "largest", 2485, 7),
            ("pubmed", "whole", 19717, 3),
        ],
    )
    def test_a_set_has_the_published_size(self, data_home, dataset, graph, n, k):
        case = cases.load_case(dataset, graph, data_home)
        assert case.affinity.shape == (n, n)
        assert case.truth.shape == (n,)
        assert case.n_clusters == k

    @pytest.mark.parametrize(("dataset", "graph"), cases.select(quick=True))
    def test_a_quick_case_is_small_and_keeps_several_classes(self, data_home, dataset, graph):
        case = cases.load_case(dataset, graph, data_home, quick=True)
        assert len(case.truth) <= cases.QUICK_NODES
        assert case.n_clusters >= 2

    def test_a_missing_set_is_named_with_its_file(self, tmp_path):
        reason = cases.why_missing("cora", tmp_path)
        assert reason.startswith(f"cora: graph/cora.npz is not in {tmp_path}")

    def test_all_sets_of_the_benchmark_are_there(self):
        assert {name for name, _ in cases.select()} == {
            *UCI_NAMES, "moons-0.1", "moons-0.15", "moons-0.2", "usps", "cora", "pubmed",
        }  # fmt: skip
        assert ("wine", "rbf") in cases.select()
        assert cases.select(["wine"], quick=True) == [("wine", "knn")]
        assert cases.select(["wine/rbf"], quick=True) == [("wine", "rbf")]

    def test_an_unknown_set_is_refused(self):
        with pytest.raises(ValueError, match="got 'wein'"):
            cases.select(["wein"])


class TestMethods:
    def test_ours_and_the_papers_take_part_with_their_defaults(self):
        found = methods.select()
        assert [m.name for m in found[:2]] == ["ConstrainedSpectralClustering", "CSP"]
        for m in found:
            made, plain = m.make(3, 0).get_params(), m.estimator().get_params()
            changed = {key for key in plain if made[key] != plain[key]}
            assert changed <= {"n_clusters", "affinity", "random_state"}

    def test_names_are_found_in_any_case_of_letters(self):
        assert [m.name for m in methods.select(["csp"])] == ["CSP"]

    def test_an_unknown_method_is_refused(self):
        with pytest.raises(ValueError, match="got 'CPS'"):
            methods.select(["CPS"])


class TestTrials:
    def test_scores_are_those_of_the_labels(self):
        trial = Trial("tiny", "knn", "Plain", 6, 0)
        result = run_trial(tiny_case(), method("Plain"), trial)
        assert (result.status, result.ari, result.nmi, result.satisfied) == ("ok", 1, 1, 1)
        assert result.seconds >= 0

    def test_a_wrong_labelling_scores_low(self):
        case = tiny_case()
        shifted = replace(case, truth=np.repeat([0, 1], 4))
        trial = Trial("tiny", "knn", "Plain", 6, 0)
        result = run_trial(shifted, method("Plain"), trial)
        known = Constraints.sample(shifted.truth, 6, random_state=draw_seed(0, trial))
        assert result.ari < 0.1
        assert result.satisfied == known.satisfaction(np.arange(8) % 2).share

    def test_draws_differ_but_not_between_methods_and_graphs(self):
        one = Trial("wine", "knn", "A", 20, 0)
        other = Trial("wine", "rbf", "B", 20, 0)
        assert draw_seed(0, one) == draw_seed(0, other)
        seeds = {
            draw_seed(seed, Trial(name, "knn", "A", pairs, draw))
            for seed in (0, 1) for name in ("wine", "iris") for pairs in (20, 50) for draw in (0, 1)
        }  # fmt: skip
        assert len(seeds) == 16

    def test_a_refusal_and_an_error_are_told_apart_in_one_line(self):
        case, key = tiny_case(), ("tiny", "knn", "x", 6, 0)
        refused = run_trial(case, method("Picky"), Trial(*key))
        assert refused.status == "refused"
        assert refused.message == "dense only, n_samples must be at most 10, got 8"
        failed = run_trial(case, method("Broken"), Trial(*key))
        assert (failed.status, failed.message) == ("failed", "ZeroDivisionError: oops")
        assert np.isnan(failed.ari)


class TestWorkers:
    def test_slow_and_dying_methods_end_as_results_and_the_rest_goes_on(self):
        chosen = {name: method(name) for name in ("Waiting", "Slow", "Fatal", "Plain")}
        draws = {"Waiting": 1, "Slow": 2, "Fatal": 1, "Plain": 2}
        trials = [
            Trial("tiny", "knn", name, 6, draw) for name in chosen for draw in range(draws[name])
        ]
        trials.append(Trial("other", "knn", "Plain", 6, 0))
        found = {
            result.trial: result
            for result in run_trials(trials, chosen, tiny_case, jobs=1, limit=0.5)
        }
        assert list(found) == trials
        results = [(result.method, result.status, result.message) for result in found.values()]
        waited = "ok" if cpu_seconds(os.getpid()) is not None else "timed out"
        assert results[0][:2] == ("Waiting", waited)
        assert results[1:4] == [
            ("Slow", "timed out", "passed the limit of 0.5 s"),
            ("Slow", "timed out", "not begun: another draw passed the limit of 0.5 s"),
            ("Fatal", "failed", "its process died, code 7"),
        ]
        assert results[4:] == [("Plain", "ok", "")] * 3

    def test_computing_time_is_that_of_the_process(self):
        before = cpu_seconds(os.getpid())
        if before is None:
            pytest.skip("the system does not tell the computing time of a process")
        assert before == pytest.approx(sum(os.times()[:2]), abs=0.1)
        assert cpu_seconds(2**31 - 1) is None

    def test_processes_give_the_results_of_this_one(self):
        chosen = {m.name: m for m in methods.select(["CSP"])}
        trials = plan([("tiny", "knn")], chosen.values(), (6,), 3)
        here = [run_trial(tiny_case(), chosen["CSP"], trial, seed=4) for trial in trials]
        there = run_trials(trials, chosen, tiny_case, seed=4, jobs=2, limit=60.0)
        scores = {result.trial: (result.ari, result.nmi, result.satisfied) for result in there}
        assert scores == {r.trial: (r.ari, r.nmi, r.satisfied) for r in here}


class TestResultFile:
    def test_results_come_back_as_they_went(self, tmp_path):
        file = ResultFile(tmp_path / "new" / "a.csv", SETTINGS)
        given = [
            Result("wine", "knn", "A", 20, 0, "ok", 1 / 3, 0.5, 1.0, 1e-5),
            Result("wine", "knn", "A", 20, 1, "refused", message='a "comma", here'),
        ]
        for result in given:
            file.append(result)
        back = ResultFile(file.path, SETTINGS).read()
        assert list(map(repr, back)) == list(map(repr, given))
        with file.path.open(newline="") as lines:
            assert next(csv.reader(lines)) == COLUMNS

    def test_a_line_cut_off_by_a_crash_is_dropped(self, tmp_path):
        file = ResultFile(tmp_path / "a.csv", SETTINGS)
        file.append(Result("wine", "knn", "A", 20, 0, ari=0.5))
        with file.path.open("a") as lines:
            lines.write("wine,knn,A,20,1,o")
        again = ResultFile(file.path, SETTINGS)
        again.append(Result("wine", "knn", "A", 20, 2, ari=0.7))
        assert [(result.draw, result.ari) for result in again.read()] == [(0, 0.5), (2, 0.7)]

    def test_other_settings_are_refused_and_named(self, tmp_path):
        ResultFile(tmp_path / "a.csv", SETTINGS)
        with pytest.raises(ValueError, match=r"seed 0 \(now 1\).*another output"):
            ResultFile(tmp_path / "a.csv", replace(SETTINGS, seed=1))
        assert json.loads((tmp_path / "a.json").read_text())["seed"] == 0

    def test_a_foreign_file_is_not_touched(self, tmp_path):
        path = tmp_path / "mine.csv"
        path.write_text("a,b\n1,2\n")
        with pytest.raises(ValueError, match="settings cannot be read"):
            ResultFile(path, SETTINGS)
        assert path.read_text() == "a,b\n1,2\n"

    def test_a_spoilt_line_is_named(self, tmp_path):
        file = ResultFile(tmp_path / "a.csv", SETTINGS)
        with file.path.open("a") as lines:
            lines.write("wine,knn,A,twenty,0,ok,1,1,1,1,\n")
        with pytest.raises(ValueError, match=r"a\.csv, line 2: .*twenty"):
            file.read()

    def test_parquet_holds_the_same(self, tmp_path):
        parquet = pytest.importorskip("pyarrow.parquet")
        write_parquet(tmp_path / "a.parquet", results({"A": (0.5, None)}))
        table = parquet.read_table(tmp_path / "a.parquet")
        assert table.column_names == COLUMNS
        assert table["status"].to_pylist() == ["ok", "refused"]
        assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]

    def test_a_second_run_does_only_what_is_missing(self, tmp_path):
        file = ResultFile(tmp_path / "a.csv", SETTINGS)
        chosen = [method("Plain")]
        options = {"seed": 0, "jobs": 1, "limit": 60.0}
        first = plan([("tiny", "knn")], chosen, (6,), 1)
        assert len(list(run(first, chosen, file, tiny_case, **options))) == 1
        more = plan([("tiny", "knn")], chosen, (6,), 3)
        ran = [result.draw for result in run(more, chosen, file, tiny_case, **options)]
        assert ran == [1, 2]
        assert len(file.read()) == 3
        assert list(run(more, chosen, file, tiny_case, **options)) == []


class TestSummary:
    def test_mean_least_and_most_over_the_draws(self):
        (cell,) = summarize(results({"A": (0.2, 0.4, 0.9)}, satisfied=0.75, seconds=2.0))
        assert cell.ari == cell.nmi
        assert (cell.ari.mean, cell.ari.min, cell.ari.max) == (pytest.approx(0.5), 0.2, 0.9)
        assert (cell.satisfied.mean, cell.seconds.max, cell.draws, cell.done) == (0.75, 2.0, 3, 3)

    def test_a_draw_without_labels_counts_as_nothing_found(self):
        (cell,) = summarize(results({"A": (0.8, None)}, seconds=2.0))
        assert (cell.ari.mean, cell.ari.min, cell.seconds.mean) == (0.4, 0.0, 2.0)
        assert (cell.status, cell.done, cell.message) == ("ok", 1, "too large")

    def test_equals_share_places_and_refusals_the_last(self):
        cells = summarize(
            results({"A": (0.5,), "B": (0.9,), "C": (0.50001,), "D": (None,), "E": (-0.1,)})
        )
        assert {cell.method: cell.rank for cell in cells} == {
            "B": 1, "A": 2.5, "C": 2.5, "E": 4, "D": 5
        }  # fmt: skip
        assert cells[-1].status == "refused"

    def test_standings_over_problems(self):
        here = results({"A": (0.5,), "B": (0.9,)}, seconds=1.0)
        there = [replace(result, pairs=50) for result in results({"A": (0.6,), "B": (None,)})]
        first, second = standings(summarize([*here, *there]))
        assert (first.method, first.mean_rank, first.won, first.cells) == ("A", 1.5, 1, 2)
        assert (second.method, second.mean_rank, second.won, second.without) == ("B", 1.5, 1, 1)
        assert second.mean_ari == pytest.approx(0.45)
        assert second.seconds == 1.0

    def test_winning_means_having_labels(self):
        (alone,) = standings(summarize(results({"A": (None,)})))
        assert alone.won == 0


class TestLeaderboard:
    def page(self, **options):
        scores = {"A": (0.5, 0.7), "Ours": (0.2, 0.4), "B": (None, None), "C": (0.3, None)}
        cells = summarize(results(scores, satisfied=0.9, seconds=0.25))
        return leaderboard(cells, SETTINGS, ours="Ours", **options)

    def test_machine_versions_and_rules_are_stated(self):
        page = self.page(skipped=["cora: no graph/cora.npz in x"])
        assert "- Machine: a processor, 2 cores." in page
        assert "- Versions: python 3, sidecut 0." in page
        assert "Every method with its defaults" in page
        assert "not a result to quote" in page
        assert "## Skipped\n\n- cora: no graph/cora.npz in x" in page

    def test_problems_of_two_classes_are_ranked_apart(self):
        here = results({"A": (0.5,), "B": (0.9,)})
        there = [replace(result, dataset="cora") for result in results({"A": (0.7,), "B": (None,)})]
        page = leaderboard(summarize([*here, *there]), SETTINGS)
        assert "| B | 1.50 | 1 | 0.450 |" in page
        assert "| B | 1.00 | 1 | 0.900 |" in page
        assert "| B | 2.00 | 0 | 0.000 |" in page

    def test_losses_are_listed_with_their_gap(self):
        page = self.page()
        assert "## Where Ours is not first\n\n1 of 1 problems" in page
        row = "| wine (knn) | 20 | 0.300 (0.20 to 0.40) #2 | A: 0.600 (0.50 to 0.70) #1 | 0.300 |"
        assert row in page

    def test_refusals_are_shown_not_dropped(self):
        page = self.page()
        assert "| B | refused |" in page
        assert "| B | too large | wine (knn) 20 pairs: 2 of 2 |" in page
        assert "| C | 0.150† (0.00 to 0.30) #3 |" in page
        assert "| A | 1.00 | 1 | 0.600 | 0.600 | 0.900 | 0.250 | 1 | 0 |" in page

    def test_a_first_place_is_no_loss(self):
        cells = summarize(results({"A": (0.5,), "Ours": (0.9,)}))
        assert "Where Ours is not first\n\nNowhere." in leaderboard(cells, SETTINGS, ours="Ours")


class TestPlots:
    def test_a_panel_for_each_graph_and_our_line_on_top(self):
        scores = {name: (0.1 * k,) for k, name in enumerate("ABCDEFG")} | {"Ours": (0.9,)}
        drawn = [
            replace(result, graph=graph, pairs=pairs)
            for result in results(scores) for graph in ("knn", "rbf") for pairs in (20, 100)
        ]  # fmt: skip
        figure = plot_accuracy(summarize(drawn), ours="Ours")
        panels = [ax for ax in figure.axes if ax.axison]
        assert [ax.get_title() for ax in panels] == ["wine (knn)", "wine (rbf)"]
        lines = {line.get_label(): line for line in panels[0].get_lines()}
        assert lines["Ours"].get_linewidth() > 2 * lines["G"].get_linewidth()
        assert lines["Ours"].get_zorder() == max(line.get_zorder() for line in lines.values())
        assert lines["Ours"].get_ydata() == pytest.approx([0.9, 0.9])
        labels = [text.get_text() for text in figure.legends[0].get_texts()]
        assert labels == ["Ours", "G", "F", "E", "D", "C", "other methods"]
