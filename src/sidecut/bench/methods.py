"""The estimators that take part, each with its defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sidecut import baselines
from sidecut.estimators import CSP, ConstrainedSpectralClustering

# What the benchmark is about; shown first and drawn boldest.
OURS = "ConstrainedSpectralClustering"


@dataclass(frozen=True)
class Method:
    """An estimator class under the name it is listed by."""

    name: str
    estimator: type[Any]

    def make(self, n_clusters: int, seed: int) -> Any:
        """Return an unfitted estimator: its defaults, on a graph that is given."""
        return self.estimator(n_clusters=n_clusters, affinity="precomputed", random_state=seed)


def all_methods() -> dict[str, Method]:
    """Return every method of the library: ours, the paper's, and those of `sidecut.baselines`.

    Examples
    --------
    >>> from sidecut.bench.methods import all_methods
    >>> list(all_methods())[:2]
    ['ConstrainedSpectralClustering', 'CSP']
    """
    named = [getattr(baselines, name) for name in baselines.__all__]
    classes = [ConstrainedSpectralClustering, CSP, *named]
    return {item.__name__: Method(item.__name__, item) for item in classes}


def select(names: list[str] | None = None) -> list[Method]:
    """Return the methods named, in any case of letters, or all of them."""
    every = all_methods()
    if names is None:
        return list(every.values())
    by_name = {name.lower(): method for name, method in every.items()}
    for name in names:
        if name.lower() not in by_name:
            raise ValueError(f"methods must name some of {', '.join(every)}, got {name!r}")
    wanted = {name.lower() for name in names}
    return [method for name, method in by_name.items() if name in wanted]
