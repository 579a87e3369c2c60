"""What held-out constraints said about each size of the basis."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sidecut.plot._style import CLUSTER_COLORS, VIOLATED, axes, check_fitted
from sidecut.selection import CrossValidation, Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class HeldOutDisplay:
    """Held-out satisfaction over the size of the basis, a line for each start on the path.

    Of the degrees of freedom tried at a size the likeliest is drawn, with one standard error; the
    star is the average that was chosen. Candidates that fell out of the race are left out.

    Parameters
    ----------
    evidence : CrossValidation
        With constraints held out.

    Examples
    --------
    >>> from sidecut import ConstrainedSpectralClustering, Constraints
    >>> from sidecut.datasets import two_moons
    >>> from sidecut.plot import HeldOutDisplay
    >>> X, y = two_moons(300, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 60, random_state=0)
    >>> model = ConstrainedSpectralClustering(random_state=0).fit(X, constraints=known)
    >>> HeldOutDisplay.from_estimator(model).ax_.get_ylabel()
    'held-out satisfaction, %'
    """

    ax_: Axes
    figure_: Any

    def __init__(self, evidence: CrossValidation) -> None:
        if not evidence.trials:
            raise ValueError("there were too few constraints to hold any out: nothing to draw")
        self.evidence = evidence

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Draw the evidence of a fitted `ConstrainedSpectralClustering`."""
        check_fitted(estimator, "cut_")
        if estimator.cross_validation_ is None:
            raise ValueError('the estimator held nothing out: it needs constraints and "cv"')
        return cls(estimator.cross_validation_).plot(ax)

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Self:
        """Draw into `ax`, or into a new figure."""
        ax = axes(ax)
        evidence = self.evidence
        names = {0.0: "from the unconstrained cut"}
        for k, (mu, trials) in enumerate(_best_of_each_size(evidence.trials)):
            sizes = np.array([trial.candidate.p for trial in trials])
            met = 100 * np.array([trial.satisfaction for trial in trials])
            error = 100 * np.array([trial.error for trial in trials])
            color = CLUSTER_COLORS[k]
            label = names.get(mu, f"from the path at μ = {mu:g}")
            ax.plot(sizes, met, "o-", color=color, markersize=4.5, label=label, zorder=2)
            ax.fill_between(sizes, met - error, met + error, color=color, alpha=0.15, linewidth=0)
        ax.axhline(
            100 * evidence.unconstrained, color="0.4", linestyle="--", label="unconstrained cut"
        )
        if evidence.folded:
            ax.errorbar(
                evidence.best.p,
                100 * evidence.held_out,
                100 * evidence.held_out_error,
                color=VIOLATED,
                marker="*",
                markersize=15,
                markeredgecolor="white",
                capsize=3,
                linestyle="none",
                label="chosen average",
                zorder=3,
            )
        ax.set_xscale("log", base=2)
        ticks = sorted({trial.candidate.p for trial in evidence.trials})
        ax.set_xticks(ticks, [str(p) for p in ticks])
        ax.minorticks_off()
        ax.set_xlabel("vectors of the basis")
        ax.set_ylabel("held-out satisfaction, %")
        ax.legend(loc="best", fontsize=8, framealpha=0.9)
        if title:
            ax.set_title(title)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _best_of_each_size(trials: tuple[Trial, ...]) -> list[tuple[float, list[Trial]]]:
    """Return for each start μ the likeliest trial of each size, sizes ascending."""

    def start(trial: Trial) -> float:
        return trial.candidate.mu

    def size(trial: Trial) -> int:
        return trial.candidate.p

    found = []
    for mu, of_start in groupby(sorted(trials, key=start), key=start):
        by_size = groupby(sorted(of_start, key=size), key=size)
        best = [max(group, key=lambda trial: trial.log_likelihood) for _, group in by_size]
        found.append((mu, best))
    return found
