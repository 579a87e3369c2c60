"""Folds of constraints that do not leak."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from sidecut._validation import Int
from sidecut.selection.beliefs import Beliefs

N_FOLDS = 5


def split_folds(beliefs: Beliefs, n_nodes: int, rng: np.random.Generator) -> tuple[Int, Int]:
    """Return the fold of both ends of every pair.

    Connected groups of pairs stay whole, so that nothing leaks from training to test. A group too
    big for a fold has to be split. Held-out pairs stand for the unseen pairs of the graph: where
    constraints touch more than half of the nodes, those mostly join nodes that are constrained too,
    and the group is split by pairs; elsewhere by nodes, and then a pair is tested in the fold of
    either end and trained on only where it touches no held-out node.
    """
    m = len(beliefs.first)
    ends = np.concatenate([beliefs.first, beliefs.second])
    place = np.unique(ends, return_inverse=True)[1]
    n_named = int(place.max(initial=-1)) + 1
    edges = (np.ones(m), (place[:m], place[m:]))
    graph = sparse.coo_array(edges, shape=(n_named, n_named)).tocsr()
    component = csgraph.connected_components(graph, directed=False)[1]
    group = component[place]
    own = np.tile(np.arange(m), 2) if n_named > n_nodes / 2 else place
    big = np.bincount(group[:m]) > m / N_FOLDS
    split = np.where(big[group], component.max(initial=0) + 1 + own, group)
    unit = np.unique(split, return_inverse=True)[1]
    size = np.bincount(unit)
    fold, load = np.empty(len(size), np.intp), np.zeros(N_FOLDS)
    # Largest first, into the emptiest fold; equal ones in random order.
    for k in np.argsort(-size + 0.5 * rng.random(len(size))):
        fold[k] = load.argmin()
        load[fold[k]] += size[k]
    return fold[unit][:m], fold[unit][m:]
