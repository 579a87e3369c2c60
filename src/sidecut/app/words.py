"""What the page says of a clustering in words."""

from __future__ import annotations

import numpy as np

from sidecut.app.answers import Answer
from sidecut.app.ask import Question
from sidecut.app.subject import Subject

# What messages call the labels; the colours are those of `sidecut.plot`.
LABEL_NAMES = ("blue", "orange", "green", "pink", "sky", "brown", "yellow", "purple")
# Strokes mean millions of pairs; their number says nothing to a person.
MANY = 100_000


def welcome(subject: Subject) -> str:
    """Say what was opened and what to do."""
    if subject.kind == "image":
        height, width = subject.shape
        shrunk = "" if (width, height) == subject.full_size else ", made smaller to work on"
        size, hint = f"{width} × {height} pixels{shrunk}", "Draw on two parts in two colours."
    else:
        noun = "nodes" if subject.kind == "graph" else "points"
        size, hint = f"{subject.n_samples:,} {noun}", "Click two points to link them."
    return f"{subject.name}: {size}, ready. {hint}"


def summary(answer: Answer, *, pairs: bool) -> str:
    """Say how large the clusters are, and how many pairs are violated."""
    if not answer.labels.any():
        return answer.reason
    names, counts = np.unique(answer.labels, return_counts=True)
    sizes = ", ".join(
        f"{LABEL_NAMES[name - 1]} {count / len(answer.labels):.0%}"
        for name, count in zip(names.tolist(), counts.tolist(), strict=True)
    )
    violated = answer.satisfaction.total.count_violated
    return f"Clusters: {sizes}." + (f" Violated pairs: {violated:,}." if pairs and violated else "")


def question(asked: Question, subject: Subject) -> str:
    """Ask."""
    if asked.partner < 0:
        colour = LABEL_NAMES[asked.label - 1]
        return f"Does the ringed spot belong to {asked.label} ({colour})?"
    ends = f"{subject.row_name(asked.node)} and {subject.row_name(asked.partner)}"
    return f"Do the ringed points {ends} belong together?"


def evidence(answer: Answer, chosen: Answer | None) -> list[tuple[str, str]]:
    """Return terms and figures: what the answer meets, and what the evidence's choice predicts."""
    lines = []
    given = answer.satisfaction.total
    if given.count:
        of = f" of {given.count:,}" if given.count < MANY else ""
        lines.append((f"Pairs met{of}", f"{answer.satisfaction.share:.1%}"))
    scored = chosen or answer
    if np.isfinite(scored.held_out):
        score = f"{scored.held_out:.1%} ± {scored.held_out_error:.1%}"
        lines.append(("Held-out score" if scored is answer else "Held-out score of ★", score))
    return lines
