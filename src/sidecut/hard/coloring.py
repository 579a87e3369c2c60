"""More than two clusters: cannot-links as a colouring of least cost.

A colouring is searched by DSATUR (Brélaz 1979): always the node next whose neighbours already have
the most colours, its cheapest free colour first, with backtracking under a budget and restarts.
Then Kempe chains lower the cost: the nodes of two colours that hang together may swap them without
breaking a link.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from sidecut._validation import Float, Int

# Steps back allowed in each attempt; the first are short, because another order of the nodes often
# leads straight to a colouring.
BUDGETS = (500, 500, 2_000, 2_000, 10_000, 50_000)
SWEEPS = 5

Neighbours = list[set[int]]


class NoColoringError(ValueError):
    """There is no colouring (`proven`), or none was found; `clique` are nodes all linked."""

    def __init__(self, clique: list[int], *, proven: bool) -> None:
        super().__init__(f"no colouring; clique {clique}")
        self.clique = clique
        self.proven = proven


def color(costs: Float, neighbours: Neighbours, seed: int = 0) -> Int:
    """Return a colour for each node, none equal to a neighbour's, at low total cost.

    Parameters
    ----------
    costs : array of shape (n_nodes, n_colors)
        Cost of each colour for each node.
    neighbours : list of set of int
        The nodes that must differ from each.
    seed : int
        For ties.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.hard.coloring import color
    >>> color(np.array([[0.0, 1, 2], [0, 1, 2], [0, 3, 2]]), [{1, 2}, {0, 2}, {0, 1}])
    array([1, 2, 0])
    """
    free: Int = costs.argmin(axis=1)
    if all(free[v] != free[w] for v, near in enumerate(neighbours) for w in near):
        return free
    rng = np.random.default_rng(seed)
    clique: list[int] = []
    for budget in BUDGETS:
        found, complete = _search(costs, neighbours, rng, budget)
        if found is not None:
            return _improve(found, costs, neighbours)
        clique = clique or large_clique(neighbours)
        if complete or len(clique) > costs.shape[1]:
            raise NoColoringError(clique, proven=True)
    raise NoColoringError(clique, proven=False)


def large_clique(neighbours: Neighbours) -> list[int]:
    """Return a clique, grown greedily from each node."""
    best: list[int] = []
    for seed in range(len(neighbours)):
        if len(neighbours[seed]) < len(best):
            continue
        clique, rest = [seed], set(neighbours[seed])
        while rest:
            node = max(rest, key=lambda v: (len(neighbours[v] & rest), -v))
            clique.append(node)
            rest &= neighbours[node]
        if len(clique) > len(best):
            best = clique
    return best


def _search(
    costs: Float, neighbours: Neighbours, rng: np.random.Generator, budget: int
) -> tuple[Int | None, bool]:
    """Return a colouring or None, and whether the search was complete."""
    n, K = costs.shape
    colors = np.full(n, -1, np.intp)
    used = np.zeros((n, K), np.intp)  # neighbours of each node that have each colour
    ranked = np.sort(costs, axis=1)
    regret = ranked[:, 1] - ranked[:, 0]
    degree = np.array([len(near) for near in neighbours])
    # Among equally saturated nodes: the most links, then the most to lose, then chance.
    key = degree + 0.5 * regret / (regret.max() + 1e-12) + 0.1 * rng.random(n)
    cheapest = np.argsort(costs, axis=1, kind="stable")
    queue: list[tuple[float, int]] = []
    done: list[tuple[int, list[int]]] = []

    def urgency(v: int) -> float:
        return -float((used[v] > 0).sum() * (n + 1) + key[v])

    def paint(v: int, k: int, by: int) -> None:
        for w in neighbours[v]:
            used[w, k] += by
            if colors[w] < 0:
                heappush(queue, (urgency(w), w))

    for v in range(n):
        heappush(queue, (urgency(v), v))
    steps = 0
    while len(done) < n:
        # The queue keeps outdated entries; only one that still tells the truth counts.
        value, v = heappop(queue)
        if colors[v] >= 0 or value != urgency(v):
            continue
        options = [int(k) for k in cheapest[v][::-1] if used[v, k] == 0]
        while not options:
            if not done:
                return None, True
            heappush(queue, (urgency(v), v))
            v, options = done.pop()
            k, colors[v] = int(colors[v]), -1
            paint(v, k, -1)
            steps += 1
            if steps > budget:
                return None, False
        colors[v] = options.pop()
        paint(v, int(colors[v]), 1)
        done.append((v, options))
    return colors, True


def _improve(colors: Int, costs: Float, neighbours: Neighbours) -> Int:
    """Swap colours along Kempe chains while that lowers the cost; a chain may be one node."""
    nodes = np.arange(len(colors))
    for _ in range(SWEEPS):
        changed = False
        loss = costs[nodes, colors] - costs.min(axis=1)
        for v in np.argsort(-loss, kind="stable").tolist():
            old = int(colors[v])
            better = np.flatnonzero(costs[v] < costs[v, old])
            for new in better[np.argsort(costs[v, better], kind="stable")].tolist():
                chain = _chain(v, old, new, colors, neighbours)
                swapped = np.where(colors[chain] == old, new, old)
                if costs[chain, swapped].sum() < costs[chain, colors[chain]].sum() - 1e-12:
                    colors[chain] = swapped
                    changed = True
                    break
        if not changed:
            break
    return colors


def _chain(v: int, old: int, new: int, colors: Int, neighbours: Neighbours) -> list[int]:
    """Return the nodes of the two colours that hang together with v."""
    chain, seen, k = [v], {v}, 0
    while k < len(chain):
        for w in neighbours[chain[k]]:
            if w not in seen and colors[w] in (old, new):
                seen.add(w)
                chain.append(w)
        k += 1
    return chain
