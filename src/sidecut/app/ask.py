"""Which question would settle most of what is in doubt.

What is known of a clustering is taken as a Gaussian over functions of the basis, f = F w, rough
ones held back by their eigenvalue, and the nodes that were named pinned with some noise:

    C = (stiffness · diag(λ / mean λ) + F_s'F_s / noise)⁻¹.

Being told node i as well shrinks the variance at node j by (f_j'C f_i)² / (noise + f_i'C f_i). The
question is about the node whose sum of these over all nodes, each weighted by how much the cuts of
the path disagree on it, is largest. Without the weights this is the V-optimal design on graphs, Ji
and Han, "A variance minimization criterion to active learning on graphs", AISTATS 2012.
"""

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
from sidecut.selection.start import relative

# Nodes that may be asked about, and of those named the number that is looked at.
MAX_CANDIDATES = 2500
# Points of the path that vote, beside the answer on show.
VOTERS = (0.3, 3.0, 30.0)
# Functions that tell what a node stands for; finer ones tell only about itself.
N_SMOOTH = 16
NOISE, STIFFNESS = 0.5, 1.0
# Doubt of a node on which all cuts agree: they may agree on something wrong.
LEAST_DOUBT = 0.3


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
    """Return the question whose answer would settle most; None where there is none.

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
    seed : int
        Chooses the candidates where there are many nodes.
    """
    if not answer.labels.any():
        return None
    rng = np.random.default_rng(seed)
    nodes = _some(np.arange(basis.n_samples), rng)
    doubt = _doubt(basis, answer, known, nodes)
    told = known.nodes
    score = _gain(basis, nodes, doubt, _some(told, rng))
    score[_near(plane[nodes], plane, told, avoid)] = -np.inf
    best = int(score.argmax())
    if not np.isfinite(score[best]):
        return None
    node = int(nodes[best])
    question = Question(node, int(answer.labels[node]))
    if not pairs:
        return question
    partners = _anchors(known)
    if not len(partners):
        # Nothing was said: the partner is what should be known next once the node is.
        score = _gain(basis, nodes, doubt, np.array([node]))
        partners = nodes[[int(score.argmax())]]
    return replace(question, partner=_partner(node, partners, answer, basis))


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


def _some(nodes: Int, rng: np.random.Generator) -> Int:
    many = len(nodes) > MAX_CANDIDATES
    return rng.choice(nodes, MAX_CANDIDATES, replace=False) if many else nodes


def _rows(basis: SpectralBasis, nodes: Int) -> Float:
    result: Float = basis.vectors[nodes, :N_SMOOTH].astype(np.float64) * np.sqrt(basis.volume)
    return result


def _gain(basis: SpectralBasis, nodes: Int, doubt: Float, told: Int) -> Float:
    """Return how much of the doubt being told each node would settle."""
    F, S = _rows(basis, nodes), _rows(basis, told)
    prior = STIFFNESS * relative(basis.values[:N_SMOOTH]) + 1e-6
    C = np.linalg.inv(np.diag(prior) + S.T @ S / NOISE)
    reach = F @ C
    wide = ((reach @ ((F.T * doubt) @ F)) * reach).sum(axis=1)
    result: Float = wide / (NOISE + (reach * F).sum(axis=1))
    return result


def _doubt(basis: SpectralBasis, answer: Answer, known: Constraints, nodes: Int) -> Float:
    """Return how much cuts of the path disagree on each node: entropy of their mean, 0 to 1."""
    if answer.weights is None or len(answer.used) < 2:
        return np.ones(len(nodes))
    rows = basis.vectors[nodes].astype(np.float64)
    own = answer.memberships(rows)
    votes = [own]
    if known:
        path = ConstrainedPath(basis, known, len(answer.used))
        for mu in VOTERS:
            W = path.labelled(path.at(mu)).weights
            vote = softmax(rows @ W[:-1] + W[-1], axis=1)
            # Clusters of the path have no numbers: they are matched by their overlap.
            votes.append(vote[:, linear_sum_assignment(-(own.T @ vote))[1]])
    share = np.mean(votes, axis=0)
    entropy = -(share * np.log(np.maximum(share, 1e-12))).sum(axis=1) / np.log(share.shape[1])
    result: Float = np.maximum(entropy, LEAST_DOUBT)
    return result


def _anchors(known: Constraints) -> Int:
    """Return the largest set of nodes whose relations are all known, through links between them."""
    named = known.nodes
    if not len(named):
        return named
    group = known.linked_components()[named]
    result: Int = named[group == np.bincount(group).argmax()]
    return result


def _partner(node: int, partners: Int, answer: Answer, basis: SpectralBasis) -> int:
    """Return the partner nearest in the basis, of the node's own cluster where there is one."""
    own = partners[answer.labels[partners] == answer.labels[node]]
    pool = own if len(own) else partners
    away = np.linalg.norm(_rows(basis, pool) - _rows(basis, np.array([node])), axis=1)
    return int(pool[away.argmin()])


def _near(points: Float, plane: Float, named: Int, avoid: Collection[int]) -> Int:
    """Return the candidates beside what has been said or skipped."""
    taken = np.union1d(named, np.array(sorted(avoid), np.intp))
    if not len(taken):
        return np.empty(0, np.intp)
    reach = 0.02 * float(np.linalg.norm(np.ptp(plane, axis=0)))
    away = cKDTree(plane[taken]).query(points, distance_upper_bound=reach)[0]
    result: Int = np.flatnonzero(np.isfinite(away))
    return result
