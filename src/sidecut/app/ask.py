"""Which question would help most: where the cuts of the path disagree, and much else with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial import cKDTree
from scipy.special import softmax

from sidecut._validation import Float, Int
from sidecut.app.answers import Answer
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.path import ConstrainedPath

# Nodes that may be asked about.
MAX_CANDIDATES = 2500
# Points of the path that vote, beside the answer on show.
VOTERS = (0.3, 3.0, 30.0)
# Functions that tell what a node stands for; finer ones tell only about itself.
N_SMOOTH = 16
# A partner of a pair is this sure of its cluster, where there is one.
SURE = 0.9


@dataclass(frozen=True)
class Question:
    """Whether the node has this label, or, with a partner, whether the two belong together."""

    node: int
    label: int
    partner: int = -1
    denied: tuple[int, ...] = ()


def next_question(
    basis: SpectralBasis,
    answer: Answer,
    known: Constraints,
    plane: Float,
    *,
    pairs: bool,
    avoid: Collection[int] = (),
    seed: int = 0,
) -> Question | None:
    """Return the question whose answer is least sure and touches most others; None if all is sure.

    Parameters
    ----------
    basis : SpectralBasis
        The functions.
    answer : Answer
        What is on show.
    known : Constraints
        What has been said.
    plane : array of shape (n_samples, 2)
        Where the nodes are drawn.
    pairs : bool
        Ask about two nodes instead of one and its label.
    avoid : collection of int
        Nodes that were skipped.
    """
    if answer.weights is None or len(answer.used) < 2:
        return None
    n = basis.n_samples
    rng = np.random.default_rng(seed)
    nodes = np.arange(n) if n <= MAX_CANDIDATES else rng.choice(n, MAX_CANDIDATES, replace=False)
    share = _votes(basis, answer, known, nodes)
    doubt = -(share * np.log(np.maximum(share, 1e-12))).sum(axis=1) / np.log(share.shape[1])
    score = doubt * _smooth(basis, nodes, doubt)
    score[_near(plane[nodes], plane, known.nodes, avoid)] = -np.inf
    best = int(score.argmax())
    if not np.isfinite(score[best]) or doubt[best] < 0.01:
        return None
    own = answer.memberships(basis.vectors[nodes])
    column = int(own[best].argmax())
    question = Question(int(nodes[best]), answer.used[column])
    if not pairs:
        return question
    others = np.flatnonzero(own.argmax(axis=1) == column)
    others = others[others != best]
    sure = others[own[others, column] >= SURE]
    pool = sure if len(sure) else others
    if not len(pool):
        return None
    away = np.linalg.norm(plane[nodes[pool]] - plane[question.node], axis=1)
    return replace(question, partner=int(nodes[pool[away.argmin()]]))


def other_label(
    question: Question, answer: Answer, basis: SpectralBasis
) -> tuple[int, Question | None]:
    """Return what a no means: the only label left (else 0), or the next question about the node."""
    denied = (*question.denied, question.label)
    left = [label for label in answer.used if label not in denied]
    if len(left) == 1:
        return left[0], None
    if not left:
        return 0, None
    own = answer.memberships(basis.vectors[[question.node]])[0]
    best = max(left, key=lambda label: own[answer.used.index(label)])
    return 0, replace(question, label=best, denied=denied)


def _votes(basis: SpectralBasis, answer: Answer, known: Constraints, nodes: Int) -> Float:
    """Return the mean memberships over cuts of the path, clusters matched to the answer's."""
    rows = basis.vectors[nodes].astype(np.float64)
    own = answer.memberships(rows)
    votes = [own]
    if known:
        path = ConstrainedPath(basis, known, len(answer.used))
        for mu in VOTERS:
            W = path.labelled(path.at(mu)).weights
            vote = softmax(rows @ W[:-1] + W[-1], axis=1)
            # Two clusters have no numbers on the path; more are matched by their overlap.
            order = _overlap(own, vote)
            votes.append(vote[:, order])
    result: Float = np.mean(votes, axis=0)
    return result


def _overlap(own: Float, vote: Float) -> Int:

    result: Int = linear_sum_assignment(-(own.T @ vote))[1]
    return result


def _smooth(basis: SpectralBasis, nodes: Int, doubt: Float) -> Float:
    """Return doubt as seen by the lowest functions: large where much of the graph is in doubt."""
    F = basis.vectors[nodes, :N_SMOOTH].astype(np.float64) * np.sqrt(basis.volume)
    mean = doubt.mean()
    result: Float = np.maximum(mean + F @ (F.T @ (doubt - mean)) / len(nodes), 0.05 * mean)
    return result


def _near(points: Float, plane: Float, named: Int, avoid: Collection[int]) -> Int:
    """Return the candidates beside what has been said or skipped."""
    taken = np.union1d(named, np.array(sorted(avoid), np.intp))
    if not len(taken):
        return np.empty(0, np.intp)

    reach = 0.02 * float(np.linalg.norm(np.ptp(plane, axis=0)))
    away = cKDTree(plane[taken]).query(points, distance_upper_bound=reach)[0]
    result: Int = np.flatnonzero(np.isfinite(away))
    return result
