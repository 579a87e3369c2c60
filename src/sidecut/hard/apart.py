"""Which must-link components cannot-links keep apart, and how a contradiction is told."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sidecut._validation import Int
from sidecut.constraints import Constraints
from sidecut.constraints.groups import Groups


class ContradictionError(ValueError):
    """The constraints cannot all hold; `nodes` are those that show it."""

    def __init__(self, message: str, nodes: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.nodes = nodes


@dataclass(frozen=True, eq=False)
class Apart:
    """Cannot-links between must-link components, each once, with a pair of nodes that shows it."""

    components: Int
    nodes: Int

    def node(self, component: int) -> int:
        """Return a node of a component that some link names."""
        return int(self.nodes[self.components == component][0])

    def cycle_text(self, cycle: list[int]) -> tuple[str, tuple[int, ...]]:
        """Write a cycle of components as links between nodes: ≠ cannot-link, = must-links."""
        text = ""
        nodes: list[int] = []
        for here, there in pairwise([*cycle, cycle[0]]):
            low, high = min(here, there), max(here, there)
            k = np.flatnonzero((self.components == (low, high)).all(axis=1))[0]
            one, two = self.nodes[k].tolist() if here == low else self.nodes[k, ::-1].tolist()
            text += f" = {one}" if nodes and nodes[-1] != one else "" if nodes else str(one)
            text += f" ≠ {two}"
            nodes += [one, two]
        return text + (f" = {nodes[0]}" if nodes[-1] != nodes[0] else ""), tuple(
            dict.fromkeys(nodes)
        )


def cannot_links(constraints: Constraints, component: Int, n_clusters: int) -> Apart:
    """Return the cannot-links between must-link components.

    The groups of a labelling exclude each other; with more groups than clusters that is an error,
    otherwise they make at most K² links.
    """
    links = [np.empty((0, 2), np.intp)]
    for part in constraints.parts:
        if isinstance(part, Groups):
            names, one = np.unique(part.group, return_index=True)
            nodes = part.nodes[one]
            if len(names) > n_clusters:
                shown = tuple(nodes[: n_clusters + 1].tolist())
                raise ContradictionError(
                    f"{len(names)} different labels need as many clusters, there are {n_clusters}: "
                    f"nodes {', '.join(map(str, shown))} are all apart",
                    shown,
                )
            i, j = np.triu_indices(len(nodes), 1)
            links.append(np.column_stack([nodes[i], nodes[j]]))
        else:
            links.append(np.column_stack(part.links(-1)[:2]))
    pairs = np.concatenate(links)
    ends = component[pairs]
    turned = ends[:, 0] > ends[:, 1]
    ends[turned], pairs[turned] = ends[turned, ::-1], pairs[turned, ::-1]
    distinct, index = np.unique(ends, axis=0, return_index=True)
    return Apart(distinct, pairs[index])
