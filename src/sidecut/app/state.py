"""Everything one page knows and does, without the page: no Bokeh here.

What a person says is kept as an immutable list of statements; undo and redo walk through earlier
lists. Work that takes time is handed out as jobs, functions that carry copies of all they need, so
that they can run in the background while the person goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from sidecut._validation import Float, Int
from sidecut.app import exports
from sidecut.app.answers import Answer, Trail, cluster, segment, trail
from sidecut.app.ask import Question, next_question, other_label
from sidecut.app.session_file import Saved, is_session, load, save
from sidecut.app.statements import (
    MAX_LABELS,
    Link,
    Mark,
    Scribbles,
    Statement,
    Stroke,
    constraints_of,
    links_of,
    marks_of,
)
from sidecut.app.subject import Subject
from sidecut.app.uploads import read_subject, with_upload
from sidecut.app.work import Ticket
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.estimators import ConstrainedSpectralClustering
from sidecut.path.core import WALK

# What messages call the labels; the colours are those of `sidecut.plot`.
LABEL_NAMES = ("blue", "orange", "green", "pink", "sky", "brown", "olive", "purple")
MAX_STATEMENTS = 5000
# How far from a point a click may be, as a share of the picture's diagonal.
CLICK = 0.03


@dataclass(frozen=True, eq=False)
class Ground:
    """What is computed once: the basis, where points are drawn, and the model of points."""

    subject: Subject
    basis: SpectralBasis
    model: ConstrainedSpectralClustering | None
    plane: Float
    axes: tuple[str, str]

    @cached_property
    def tree(self) -> cKDTree:
        """For the point under the mouse."""
        return cKDTree(self.plane)

    @property
    def reach(self) -> float:
        """How far from a point a click may be."""
        return CLICK * float(np.linalg.norm(np.ptp(self.plane, axis=0)))


@dataclass(frozen=True)
class LinkRow:
    """A line of the table: a link and whether the labels on show meet it."""

    link: Link
    met: bool


# What was computed for samples, by name.
_SHARED: dict[str, Ground] = {}


def prepare(subject: Subject, ticket: Ticket) -> Ground:
    """Compute what a subject needs once; samples once for everyone."""
    if subject.shared and subject.name in _SHARED:
        return replace(_SHARED[subject.name], subject=subject)
    ground = _prepare(subject, ticket)
    if subject.shared:
        _SHARED[subject.name] = ground
    return ground


def _prepare(subject: Subject, ticket: Ticket) -> Ground:
    if subject.kind == "image":
        basis = subject.basis(ticket.tell)
        height, width = subject.shape
        y, x = np.divmod(np.arange(height * width), width)
        return Ground(subject, basis, None, np.column_stack([x, y]) + 0.5, ("x", "y"))
    model = subject.model(ticket.tell)
    ticket.tell("Drawing", 0.97)
    return Ground(subject, model.basis_, model, *subject.plane(model.basis_))


def open_file(path: Path) -> Subject | Saved:
    """Read a file of data, or a saved session."""
    if path.suffix.lower() == ".npz" and is_session(path):
        return load(path)
    return read_subject(path)


def open_upload(name: str, content: bytes) -> Subject | Saved:
    """Read what a stranger sent."""
    return with_upload(name, content, open_file)


class State:
    """One person's work on one subject.

    Examples
    --------
    >>> from sidecut.app.samples import sample
    >>> from sidecut.app.state import State
    >>> from sidecut.app.work import Ticket
    >>> state = State()
    >>> state.settle(state.open(sample("moons"))(Ticket()))
    >>> state.link(0, 1, together=False)
    >>> state.show(state.answer_job()(Ticket()))
    >>> state.answer.labels[0] != state.answer.labels[1]
    np.True_
    """

    def __init__(self) -> None:
        self.ground: Ground | None = None
        self.statements: tuple[Statement, ...] = ()
        self.n_clusters = 2
        self.mu: float | None = None
        self.answer: Answer | None = None
        self.trail: Trail | None = None
        self.question: Question | None = None
        self._past: list[tuple[Statement, ...]] = []
        self._future: list[tuple[Statement, ...]] = []
        self._skipped: set[int] = set()
        self._waiting: Saved | None = None
        self._sheet: tuple[tuple[Statement, ...], Scribbles] | None = None

    # -- opening --------------------------------------------------------------------------------

    def open(self, what: Subject | Saved) -> Callable[[Ticket], Ground]:
        """Return the job that prepares a subject; `settle` takes its result."""
        self._waiting = what if isinstance(what, Saved) else Saved(what, (), 2, None)
        return partial(prepare, self._waiting.subject)

    def settle(self, ground: Ground) -> None:
        """Begin to work on what was prepared; a saved session goes on where it was."""
        saved = self._waiting
        if saved is None or saved.subject is not ground.subject:
            raise ValueError("nothing of this name was opened")
        self._waiting = None
        self.ground = ground
        self.statements = saved.statements
        self.n_clusters, self.mu = saved.n_clusters, saved.mu
        self.answer = self.trail = self.question = None
        self._past, self._future = [], []
        self._skipped = set()
        self._sheet = None

    @property
    def ready(self) -> Ground:
        """What is worked on; an error before anything was opened."""
        if self.ground is None:
            raise ValueError("open something first")
        return self.ground

    @property
    def is_image(self) -> bool:
        """Whether a photograph is worked on."""
        return self.ground is not None and self.ground.subject.kind == "image"

    # -- saying ---------------------------------------------------------------------------------

    def draw(self, label: int, radius: float, places: Sequence[Sequence[float]]) -> None:
        """Add a stroke; label 0 erases."""
        if not self.is_image:
            raise ValueError("strokes are for photographs")
        self._say(Stroke(label, radius, tuple((float(x), float(y)) for x, y in places)))

    def link(self, one: int, two: int, *, together: bool, weight: float = 1.0) -> None:
        """Say that two points belong together, or that they do not; the last word counts."""
        self._check_nodes(one, two)
        new = Link.between(one, two, together, weight)
        if self._replaced(new):
            return
        self._say(new)

    def mark(self, label: int, nodes: Sequence[int]) -> None:
        """Give points a label; 0 takes it away."""
        if not len(nodes):
            raise ValueError("the lasso holds no points")
        self._check_nodes(*nodes)
        self._say(Mark(label, tuple(int(node) for node in nodes)))

    def weigh(self, row: int, weight: float) -> None:
        """Change the weight of a line of the table."""
        self._replaced(replace(self.links[row], weight=float(weight)))

    def unlink(self, rows: Sequence[int]) -> None:
        """Remove lines of the table."""
        gone = {(self.links[row].first, self.links[row].second) for row in rows}
        self._set(
            tuple(
                one
                for one in self.statements
                if not (isinstance(one, Link) and (one.first, one.second) in gone)
            )
        )

    def clear(self) -> None:
        """Take everything back; undo brings it again."""
        self._set(())

    def undo(self) -> bool:
        """Take the last statement back; say whether there was one."""
        return self._step(self._past, self._future)

    def redo(self) -> bool:
        """Say again what was taken back; say whether there was something."""
        return self._step(self._future, self._past)

    def _step(self, here: list[Any], there: list[Any]) -> bool:
        if not here:
            return False
        there.append(self.statements)
        self.statements = here.pop()
        self.question = None
        return True

    def _say(self, statement: Statement) -> None:
        if len(self.statements) >= MAX_STATEMENTS:
            raise ValueError(f"a session holds {MAX_STATEMENTS} statements; save it and start anew")
        self._set((*self.statements, statement))

    def _replaced(self, new: Link) -> bool:
        """Put a link in place of an earlier one about the same pair, if there is one."""
        pair = (new.first, new.second)
        changed = tuple(
            new if isinstance(one, Link) and (one.first, one.second) == pair else one
            for one in self.statements
        )
        if changed == self.statements:
            return any(link == new for link in self.links)
        self._set(changed)
        return True

    def _set(self, statements: tuple[Statement, ...]) -> None:
        self._past.append(self.statements)
        self._future.clear()
        self.statements = statements

    def _check_nodes(self, *nodes: int) -> None:
        if self.is_image:
            raise ValueError("links and labels are for points; draw on a photograph")
        n = self.ready.subject.n_samples
        wrong = [node for node in nodes if not 0 <= node < n]
        if wrong:
            raise ValueError(f"points are numbered 0 to {n - 1}, got {wrong[0]}")

    # -- what was said --------------------------------------------------------------------------

    @property
    def links(self) -> list[Link]:
        """The links, each pair once."""
        return links_of(self.statements)

    @property
    def marks(self) -> Int:
        """The label that the person gave each point, 0 for none."""
        return marks_of(self.statements, self.ready.subject.n_samples)

    @property
    def scribbles(self) -> Scribbles:
        """The strokes as pixels."""
        done: tuple[Statement, ...] = ()
        sheet = Scribbles.empty(self.ready.subject.shape)
        # Most changes add a stroke: only that is drawn.
        if self._sheet is not None and self.statements[: len(self._sheet[0])] == self._sheet[0]:
            done, sheet = self._sheet
        new = [one for one in self.statements[len(done) :] if isinstance(one, Stroke)]
        if new:
            sheet = sheet.drawn(new, len(done))
        self._sheet = (self.statements, sheet)
        return sheet

    @property
    def constraints(self) -> Constraints:
        """All that was said, as the library takes it."""
        if self.is_image:
            return Constraints.from_scribbles(self.scribbles.labels)
        return constraints_of(self.links, self.marks)

    @property
    def cluster_count(self) -> int:
        """Number of clusters: the colours used on a photograph; as asked, or as labelled, else."""
        if self.is_image:
            return len(self.scribbles.used)
        return min(max(self.n_clusters, int(self.marks.max(initial=0))), MAX_LABELS)

    def link_rows(self) -> list[LinkRow]:
        """Return the table of links."""
        labels = None if self.answer is None else self.answer.labels
        return [
            LinkRow(
                link,
                labels is None or (labels[link.first] == labels[link.second]) == link.together,
            )
            for link in self.links
        ]

    # -- where things are -----------------------------------------------------------------------

    def nearest(self, x: float, y: float) -> int | None:
        """Return the point at a place of the picture, None where there is none near."""
        away, node = self.ready.tree.query([x, y])
        return int(node) if away <= self.ready.reach else None

    def inside(self, x: Sequence[float], y: Sequence[float]) -> Int:
        """Return the points within a closed line."""
        plane = self.ready.plane
        corners = np.column_stack([x, y]).astype(np.float64)
        if len(corners) < 3 or not np.isfinite(corners).all():
            return np.empty(0, np.intp)
        low, high = corners.min(axis=0), corners.max(axis=0)
        near = np.flatnonzero(((plane >= low) & (plane <= high)).all(axis=1))
        px, py = plane[near].T
        odd = np.zeros(len(near), bool)
        # A point is inside when a line to the right crosses the edge an odd number of times.
        for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            if y0 == y1:
                continue
            crosses = (y0 > py) != (y1 > py)
            odd ^= crosses & (px < x0 + (py - y0) * (x1 - x0) / (y1 - y0))
        result: Int = near[odd]
        return result

    # -- answering ------------------------------------------------------------------------------

    def answer_job(self) -> Callable[[Ticket], Answer]:
        """Return the job that labels everything as things stand now; `show` takes its result."""
        ground, mu = self.ready, self.mu
        model = ground.model
        if model is None:
            sheet = self.scribbles
            return lambda ticket: segment(ground.basis, sheet, mu, LABEL_NAMES)
        known, count, marks = self.constraints, self.cluster_count, self.marks
        before = None if self.answer is None else self.answer.labels
        return lambda ticket: cluster(model, known, count, mu, marks=marks, before=before)

    def show(self, answer: Answer) -> None:
        """Take an answer."""
        self.answer = answer

    def trail_job(self) -> Callable[[Ticket], Trail | None]:
        """Return the job that follows the path; `trail` keeps its result."""
        if self.answer is None:
            raise ValueError("there is no answer yet")
        work = (self.ready.basis, self.constraints, self.cluster_count, self.answer)
        return lambda ticket: trail(*work, ticket)

    def follow(self, step: int | None) -> None:
        """Go to a step of the path, or, with None, back to the choice of the evidence."""
        self.mu = None if step is None else WALK[step]

    def indicator(self, label: int) -> NDArray[np.float32]:
        """Return the relaxed indicator of a label for every node, about −1 to 1."""
        answer, basis = self.answer, self.ready.basis
        if answer is None or answer.weights is None or label not in answer.used:
            return np.zeros(basis.n_samples, np.float32)
        logits = answer.logits(basis.vectors)
        column = answer.used.index(label)
        others = np.delete(logits, column, axis=1).max(axis=1)
        lead = np.asarray(logits[:, column] - others, dtype=np.float32)
        return lead / (float(np.quantile(np.abs(lead[::7]), 0.98)) or 1.0)

    # -- asking ---------------------------------------------------------------------------------

    def question_job(self) -> Callable[[Ticket], Question | None]:
        """Return the job that finds the next question; `ask` takes its result."""
        if self.answer is None:
            raise ValueError("there is no answer yet")
        ground, answer, known, skipped = self.ready, self.answer, self.constraints, self._skipped
        return lambda ticket: next_question(
            ground.basis,
            answer,
            known,
            ground.plane,
            pairs=not self.is_image,
            avoid=frozenset(skipped),
        )

    def ask(self, question: Question | None) -> None:
        """Put a question to the person."""
        self.question = question

    def reply(self, yes: bool | None, radius: float = 3.0) -> bool:
        """Take the answer to the question (None: skip); say whether anything was said by it."""
        question, self.question = self.question, None
        if question is None:
            return False
        if yes is None:
            self._skipped.add(question.node)
            return False
        if question.partner >= 0:
            self.link(question.node, question.partner, together=yes)
            return True
        label = question.label
        if not yes:
            answer = self.answer
            if answer is None:
                return False
            label, self.question = other_label(question, answer, self.ready.basis)
        if label == 0:
            return False
        place = self.ready.plane[question.node]
        self.draw(label, radius, [place])
        return True

    # -- taking home ----------------------------------------------------------------------------

    def session(self) -> bytes:
        """Return the session as a file."""
        return save(Saved(self.ready.subject, self.statements, self.n_clusters, self.mu))

    def export(self, what: str) -> tuple[str, bytes]:
        """Return the name and the content of a file: mask, labels, scribbles, constraints, session.

        Labels are 1, 2, ...; 0 means none.
        """
        subject = self.ready.subject
        stem = Path(subject.name).stem or "sidecut"
        if what == "session":
            return f"{stem}.sidecut.npz", self.session()
        if what == "constraints" and not self.is_image:
            return f"{stem}-constraints.csv", exports.constraints_csv(
                subject, self.links, self.marks
            )
        if what == "scribbles" and self.is_image:
            sheet = self.scribbles.labels
            return f"{stem}-scribbles.png", exports.label_png(sheet, subject.shape[::-1])
        if self.answer is None or not self.answer.labels.any():
            raise ValueError("there are no labels to export yet")
        labels = self.answer.labels
        if what == "mask" and self.is_image:
            image = labels.reshape(subject.shape)
            return f"{stem}-mask.png", exports.label_png(image, subject.full_size)
        if what == "labels" and self.is_image:
            arrays = {"labels": labels.reshape(subject.shape), "scribbles": self.scribbles.labels}
            return f"{stem}-labels.npz", exports.labels_npz(**arrays)
        if what == "labels":
            return f"{stem}-labels.csv", exports.labels_csv(subject, labels.tolist())
        raise ValueError(f"a {subject.kind} has no {what} to export")
