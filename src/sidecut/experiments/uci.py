"""Table 2, Fig. 9 and 10: UCI sets, with pairs that plain spectral clustering gets wrong.

The graph is the Gaussian one of `sidecut.affinity.rbf_affinity` with its default scale, on
standardised features; the paper names neither. β leaves one feasible cut and lies just below the
largest eigenvalue, so that this cut is "the one that best conforms" to the constraints; in the
middle of the gap the mean ARI on hepatitis at 500 pairs is .73 instead of 1. Of the scale, .03 to
30 times the default inverse squared width were tried, with fewer draws and β mid-gap, on raw and on
standardised features: wider kernels change little, narrower ones make the paper's method worse on
glass, and none brings ionosphere or wdbc to .95.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from sidecut._progress import Callback
from sidecut._validation import Float, Int
from sidecut.affinity import median_gamma, rbf_affinity
from sidecut.constraints import Constraints
from sidecut.csp import constrained_cuts, constraint_spectrum, unconstrained_cuts
from sidecut.datasets import UCI_NAMES, load_uci
from sidecut.estimators import ConstrainedSpectralClustering
from sidecut.experiments._claims import FAILS, HOLDS, PARTLY, Claim, grade
from sidecut.experiments._runner import Output, run_trials
from sidecut.hard import hard_labels
from sidecut.laplacian import Laplacian, normalized_laplacian

# Where β lies between the second and the largest eigenvalue of Q̄.
TOP_OF_THE_GAP = 0.999
METHODS = ("baseline", "CSP", "SL", "SSKK", "ours", "ours, hard")


@dataclass(frozen=True)
class Settings:
    """What to run.

    Attributes
    ----------
    datasets : tuple of str
    stops : tuple of int
        Numbers of constraints.
    n_draws : int
        Constraint sets at each stop.
    gamma_factor : float
        Multiple of the default inverse squared scale of the kernel.
    seed : int
    """

    datasets: tuple[str, ...] = UCI_NAMES
    stops: tuple[int, ...] = tuple(range(50, 501, 50))
    n_draws: int = 100
    gamma_factor: float = 1.0
    seed: int = 0


FULL = Settings()
QUICK = Settings(stops=(50, 200, 500), n_draws=4)


@dataclass(frozen=True)
class UciRecord:
    """One clustering: adjusted Rand index, and the share of its constraints that it satisfies."""

    dataset: str
    n_constraints: int
    draw: int
    method: str
    ari: float
    satisfied: float


def run(
    settings: Settings = FULL,
    *,
    callback: Callback | None = None,
    n_jobs: int = 1,
    output: Output = None,
) -> list[UciRecord]:
    """Cluster every set with every method, constraint count and draw."""
    trials: Iterable[dict[str, Any]] = (
        {
            "dataset": dataset,
            "draw": draw,
            "stops": settings.stops,
            "gamma_factor": settings.gamma_factor,
            "seed": settings.seed,
        }
        for dataset in settings.datasets
        for draw in range(settings.n_draws)
    )
    return run_trials(
        "uci", trials, one_draw, UciRecord, callback=callback, n_jobs=n_jobs, output=output
    )


def one_draw(
    dataset: str, draw: int, stops: Sequence[int], gamma_factor: float, seed: int
) -> list[UciRecord]:
    """Cluster one set with one draw of constraints at every stop, each a part of the next."""
    graph = _graph(dataset, gamma_factor)
    truth = graph.truth
    first, second = wrong_pairs(truth, graph.plain)
    rng = np.random.default_rng([seed, UCI_NAMES.index(dataset), draw])
    order = rng.permutation(len(first))
    records = []
    for stop in stops:
        chosen = order[:stop]
        pairs = np.column_stack([first[chosen], second[chosen]])
        same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
        known = Constraints.from_pairs(pairs[same], pairs[~same], n_samples=len(truth))
        for method, labels in _all_methods(graph, known, draw):
            score = float(adjusted_rand_score(truth, labels))
            share = known.satisfaction(labels).share
            records.append(UciRecord(dataset, stop, draw, method, score, share))
    return records


def wrong_pairs(truth: Int, labels: Int) -> tuple[Int, Int]:
    """Return the pairs that a labelling joins or parts wrongly.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.experiments.uci import wrong_pairs
    >>> wrong_pairs(np.array([0, 0, 1]), np.array([0, 1, 1]))
    (array([0, 1]), array([1, 2]))
    """
    first, second = np.triu_indices(len(truth), 1)
    wrong = (truth[first] == truth[second]) != (labels[first] == labels[second])
    return first[wrong], second[wrong]


@dataclass(frozen=True, eq=False)
class _Graph:
    truth: Int
    affinity: Float
    laplacian: Laplacian
    plain: Int
    ours: ConstrainedSpectralClustering


@lru_cache(maxsize=2)
def _graph(dataset: str, gamma_factor: float) -> _Graph:
    """Build what all draws share: the graph, its plain cut, its basis."""
    table = load_uci(dataset)
    varying = table.X[:, table.X.std(axis=0) > 0]
    X = StandardScaler().fit_transform(varying)
    affinity = rbf_affinity(X, gamma_factor * median_gamma(X))
    laplacian = normalized_laplacian(affinity)
    plain = _sign(unconstrained_cuts(laplacian, 1).indicators)
    ours = ConstrainedSpectralClustering(affinity="precomputed", random_state=0).fit(affinity)
    return _Graph(table.y, affinity, laplacian, plain, ours)


def _all_methods(graph: _Graph, known: Constraints, seed: int) -> Iterable[tuple[str, Int]]:
    from sidecut.baselines import SpectralLearning, SSKernelKMeans

    yield "baseline", graph.plain
    cuts = constrained_cuts(graph.laplacian, known, beta=best_conforming_beta(graph, known))
    yield "CSP", _sign(cuts.indicators)
    for name, method in (("SL", SpectralLearning), ("SSKK", SSKernelKMeans)):
        model = method(affinity="precomputed", random_state=seed)
        yield name, model.fit(graph.affinity, constraints=known).labels_
    graph.ours.update(constraints=known)
    yield "ours", graph.ours.labels_
    yield "ours, hard", hard_labels(graph.ours.embedding_, known, seed=seed)


def best_conforming_beta(graph: _Graph, known: Constraints) -> float:
    """Return a β just below the largest eigenvalue of Q̄, where one cut is feasible."""
    spectrum = constraint_spectrum(known, graph.laplacian)
    high, low = spectrum.values[:2]
    return float(low + TOP_OF_THE_GAP * (high - low)) * spectrum.volume


def _sign(indicators: Float) -> Int:
    return (indicators[:, 0] > 0).astype(np.intp)


# -- claims --------------------------------------------------------------------------------------


def mean_scores(
    records: Sequence[UciRecord], field: str = "ari"
) -> dict[tuple[str, int, str], Any]:
    """Return mean, least and largest value by data set, number of constraints and method."""
    groups: dict[tuple[str, int, str], list[float]] = {}
    for r in records:
        groups.setdefault((r.dataset, r.n_constraints, r.method), []).append(getattr(r, field))
    return {key: (np.mean(v), min(v), max(v)) for key, v in groups.items()}


def _last_stop(records: Sequence[UciRecord]) -> int:
    return max(r.n_constraints for r in records)


def _converges(records: Sequence[UciRecord]) -> tuple[str, str]:
    scores, stop = mean_scores(records), _last_stop(records)
    names = dict.fromkeys(r.dataset for r in records)
    reached = {name: scores[name, stop, "CSP"][0] for name in names}
    good = sum(value >= 0.95 for value in reached.values())
    text = ", ".join(f"{name} {value:.3f}" for name, value in reached.items())
    verdict = HOLDS if good == len(reached) else PARTLY if good else FAILS
    return f"mean ARI of CSP at {stop}: {text}; {good} of {len(reached)} at .95 or more", verdict


def _beats_baseline(records: Sequence[UciRecord]) -> tuple[str, str]:
    scores = mean_scores(records)
    places = [(d, s) for d, s, method in scores if method == "CSP"]
    better = [scores[*p, "CSP"][0] > scores[*p, "baseline"][0] for p in places]
    return f"CSP above the baseline at {sum(better)} of {len(better)} stops", grade(better)


def _beats_others(records: Sequence[UciRecord]) -> tuple[str, str]:
    scores = mean_scores(records)
    places = [(d, s) for d, s, method in scores if method == "CSP"]
    better = [
        scores[*p, "CSP"][0] >= max(scores[*p, "SL"][0], scores[*p, "SSKK"][0]) for p in places
    ]
    return f"CSP at least as good as both at {sum(better)} of {len(better)} stops", grade(better)


def _satisfies(records: Sequence[UciRecord]) -> tuple[str, str]:
    shares = mean_scores(records, "satisfied")
    found = [value[0] for (_, _, method), value in shares.items() if method == "CSP"]
    text = f"mean share satisfied by CSP: {np.mean(found):.3f}, least at a stop {min(found):.3f}"
    return text, grade(share >= 0.95 for share in found)


def paired_leads(
    records: Sequence[UciRecord], method: str, other: str
) -> dict[tuple[str, int], tuple[float, float]]:
    """Return the mean difference in ARI at every stop, and its standard error over the draws."""
    score = {(r.dataset, r.n_constraints, r.draw, r.method): r.ari for r in records}
    gaps: dict[tuple[str, int], list[float]] = {}
    for dataset, stop, draw, name in score:
        if name == method:
            gap = score[dataset, stop, draw, method] - score[dataset, stop, draw, other]
            gaps.setdefault((dataset, stop), []).append(gap)
    return {
        place: (float(np.mean(v)), float(np.std(v, ddof=1) / len(v) ** 0.5) if len(v) > 1 else 0.0)
        for place, v in gaps.items()
    }


def _ours_is_as_good(records: Sequence[UciRecord]) -> tuple[str, str]:
    texts, met = [], []
    for ours in ("ours", "ours, hard"):
        leads = paired_leads(records, ours, "CSP")
        worst = min(leads, key=lambda place: leads[place][0])
        met = [mean >= -1e-9 for mean, _ in leads.values()]
        clear = sum(mean < -2 * error for mean, error in leads.values())
        average = np.mean([mean for mean, _ in leads.values()])
        texts.append(
            f"{ours}: at least as good at {sum(met)} of {len(met)} stops (behind by more than two "
            f"standard errors at {clear}), mean lead {average:.3f}, "
            f"least {leads[worst][0]:+.3f} ({worst[0]}, {worst[1]})"
        )
    return "; ".join(texts), grade(met)


CLAIMS = (
    Claim("Fig. 9", "With more constraints CSP converges to the true classes.", _converges),
    Claim("Fig. 9", "CSP improves on plain spectral clustering on all six sets.", _beats_baseline),
    Claim("Fig. 9", "CSP is better than SL and SSKK by a large margin.", _beats_others),
    Claim("Fig. 10", "CSP satisfies almost all constraints.", _satisfies),
    Claim(
        "beyond the paper",
        "ConstrainedSpectralClustering, told to keep every constraint as the paper's setting "
        "allows, is at least as good as CSP at every stop.",
        _ours_is_as_good,
    ),
)
