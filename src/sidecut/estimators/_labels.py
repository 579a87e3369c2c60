"""From the logits of a cut to the labels, constraints kept or not."""

from __future__ import annotations

from sidecut._validation import Float, Int
from sidecut.constraints import Constraints
from sidecut.estimators._choose import Choice
from sidecut.estimators._cut import PlainCut
from sidecut.hard import ContradictionError, hard_labels


def check_hard(hard: object) -> None:
    """Refuse anything but True, False and "auto"."""
    if not (isinstance(hard, bool) or hard == "auto"):
        raise ValueError(f'hard must be True, False or "auto", got {hard!r}')


def final_labels(
    choice: Choice,
    embedding: Float,
    constraints: Constraints | None,
    hard: bool | str,
    seed: int,
) -> tuple[Int, bool]:
    """Return the labels, and whether they keep every constraint."""
    evidence = choice.evidence
    if evidence is not None and evidence.labels is not None and hard:
        return evidence.labels, True
    labels = choice.cut.labels(embedding)
    if choice.weighed is not None:
        labels[choice.weighed.nodes] = choice.weighed.labels
    single = isinstance(choice.cut, PlainCut) and choice.cut.n_clusters == 1
    if not constraints or not (choice.path or single):
        return labels, False
    if not hard or (hard == "auto" and not _worth_keeping(choice)):
        return labels, False
    try:
        return hard_labels(embedding, constraints, seed=seed), True
    except ContradictionError:
        if hard is True:
            raise
        return labels, False


def _worth_keeping(choice: Choice) -> bool:
    """Whether the cut follows the constraints, which seem right, and all have full weight.

    One kind alone is not enough: must-links only, such as a second graph, join everything.
    """
    beliefs, evidence = choice.beliefs, choice.evidence
    if beliefs is None or evidence is None or not evidence.followed or evidence.distrust:
        return False
    return beliefs.of_both_kinds and bool(beliefs.weight.min() >= 1)
