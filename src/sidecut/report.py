"""What a fit did, to read and to keep."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sidecut.constraints import Satisfaction


@dataclass(frozen=True)
class Report:
    """A clustering in figures: `print(report)` for people, `to_dict()` for files.

    Attributes
    ----------
    method : str
        The algorithm.
    n_samples, n_clusters : int
        Size of the problem.
    cluster_sizes : tuple of int
        Nodes per cluster; fewer entries than `n_clusters` when clusters stayed empty.
    cost : float
        Relaxed cost, the sum of `v' L̄ v` over the cuts used.
    normalized_cut : float
        Cost of the labels themselves.
    satisfaction : Satisfaction
        Constraints given, satisfied and violated by the labels.
    relaxed_satisfaction : float
        The sum of `v' Q̄ v` over the cuts used.
    beta : float or None
        Threshold used; None without constraints.
    beta_rule : str
        Where it came from.
    beta_range : str
        Feasible thresholds.
    n_feasible : int
        Cuts that met the threshold.
    worst_violations : tuple of (int, int, float)
        The heaviest violated pairs with their signed weights.
    contradictions : tuple of str
        Constraints that no labelling can meet.
    n_components : int
        Connected components of the graph.
    """

    method: str
    n_samples: int
    n_clusters: int
    cluster_sizes: tuple[int, ...]
    cost: float
    normalized_cut: float
    satisfaction: Satisfaction
    relaxed_satisfaction: float
    beta: float | None
    beta_rule: str
    beta_range: str
    n_feasible: int
    worst_violations: tuple[tuple[int, int, float], ...]
    contradictions: tuple[str, ...]
    n_components: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, text, lists and dicts."""
        return asdict(self)

    def __str__(self) -> str:
        rows = [("method", self.method)]
        rows += _size_rows(self.n_samples, self.cluster_sizes, self.n_components)
        rows += _constraint_rows(self.satisfaction)
        if self.beta is not None:
            rows.append(("threshold β", f"{self.beta:.6g} ({self.beta_rule})"))
            rows.append(("feasible β", self.beta_range))
            rows.append(("feasible cuts", str(self.n_feasible)))
            rows.append(("satisfaction α", f"{self.relaxed_satisfaction:.6g} (relaxed)"))
        cost = f"{self.cost:.6g} relaxed, Ncut of the labels {self.normalized_cut:.4g}"
        rows.append(("cost", cost))
        if self.worst_violations:
            rows.append(("violated", _pairs_text(self.worst_violations)))
        rows.extend(("contradiction", text) for text in self.contradictions)
        return _aligned(rows)


@dataclass(frozen=True)
class SelectionReport:
    """What `ConstrainedSpectralClustering` did; `print(report)` for people, `to_dict()` for files.

    Attributes
    ----------
    n_samples, n_clusters, n_components : int
        Size of the problem, and connected components of the graph.
    cluster_sizes : tuple of int
        Nodes per cluster.
    normalized_cut : float
        Cost of the labels.
    satisfaction : Satisfaction
        Constraints given, satisfied and violated by the labels.
    held_out, held_out_error : float
        Balanced satisfaction of constraints that the fit did not see, and its standard error; nan
        when there were too few to hold any out, or none of them helped.
    choice : str
        What the evidence chose, or where the given threshold led.
    count : str
        Where the number of clusters came from.
    hard : bool
        Whether the labels were made to keep every constraint.
    basis : str
        The basis and how it was computed.
    doubtful : tuple of (int, int, float)
        Violated pairs that the rest of the constraints contradicts most, likely mistakes, with
        their signed weights.
    contradictions : tuple of str
        Constraints that no labelling can meet.
    """

    n_samples: int
    n_clusters: int
    n_components: int
    cluster_sizes: tuple[int, ...]
    normalized_cut: float
    satisfaction: Satisfaction
    held_out: float
    held_out_error: float
    choice: str
    count: str
    hard: bool
    basis: str
    doubtful: tuple[tuple[int, int, float], ...]
    contradictions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, text, lists and dicts."""
        return asdict(self)

    def __str__(self) -> str:
        rows = _size_rows(self.n_samples, self.cluster_sizes, self.n_components)
        rows += _constraint_rows(self.satisfaction)
        if self.held_out == self.held_out:
            text = f"{self.held_out:.1%} ± {self.held_out_error:.1%} of constraints not seen"
            rows.append(("held out", text))
        rows.append(("choice", self.choice))
        if not self.count.endswith("as given"):
            rows.append(("clusters", self.count))
        if self.hard:
            rows.append(("hard", "labels made to keep every constraint"))
        rows.append(("basis", self.basis))
        rows.append(("cost", f"Ncut of the labels {self.normalized_cut:.4g}"))
        if self.doubtful:
            rows.append(("doubtful", _pairs_text(self.doubtful)))
        rows.extend(("contradiction", text) for text in self.contradictions)
        return _aligned(rows)


def _size_rows(n: int, sizes: tuple[int, ...], n_components: int) -> list[tuple[str, str]]:
    text = ", ".join(map(str, sizes))
    rows = [("nodes", f"{n} in {len(sizes)} clusters ({text})")]
    if n_components > 1:
        rows.append(("graph", f"{n_components} connected components"))
    return rows


def _constraint_rows(satisfaction: Satisfaction) -> list[tuple[str, str]]:
    rows = []
    for name, tally in (("must-links", satisfaction.must), ("cannot-links", satisfaction.cannot)):
        if tally.count:
            text = f"{tally.count} given, {tally.count_satisfied} satisfied, "
            text += f"{tally.count_violated} violated ({tally.share:.1%} of weight)"
            rows.append((name, text))
    return rows


def _pairs_text(pairs: tuple[tuple[int, int, float], ...]) -> str:
    return ", ".join(
        f"({i}, {j}) {'must' if weight > 0 else 'cannot'} {abs(weight):g}" for i, j, weight in pairs
    )


def _aligned(rows: list[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)
