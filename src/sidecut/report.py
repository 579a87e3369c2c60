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
        sizes = ", ".join(map(str, self.cluster_sizes))
        rows = [
            ("method", self.method),
            ("nodes", f"{self.n_samples} in {len(self.cluster_sizes)} clusters ({sizes})"),
        ]
        if self.n_components > 1:
            rows.append(("graph", f"{self.n_components} connected components"))
        for name, tally in (
            ("must-links", self.satisfaction.must),
            ("cannot-links", self.satisfaction.cannot),
        ):
            if tally.count:
                text = f"{tally.count} given, {tally.count_satisfied} satisfied, "
                rows.append(
                    (name, f"{text}{tally.count_violated} violated ({tally.share:.1%} of weight)")
                )
        if self.beta is not None:
            rows.append(("threshold β", f"{self.beta:.6g} ({self.beta_rule})"))
            rows.append(("feasible β", self.beta_range))
            rows.append(("feasible cuts", str(self.n_feasible)))
            rows.append(("satisfaction α", f"{self.relaxed_satisfaction:.6g} (relaxed)"))
        rows.append(
            ("cost", f"{self.cost:.6g} relaxed, Ncut of the labels {self.normalized_cut:.4g}")
        )
        if self.worst_violations:
            pairs = ", ".join(
                f"({i}, {j}) {'must' if weight > 0 else 'cannot'} {abs(weight):g}"
                for i, j, weight in self.worst_violations
            )
            rows.append(("violated", pairs))
        rows.extend(("contradiction", text) for text in self.contradictions)
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)
