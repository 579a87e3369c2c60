"""Everything one page knows and does, without the page: no Bokeh here.

What a person says is kept as an immutable list of statements; undo and redo walk through earlier
lists. Work that takes time is handed out as jobs, functions that carry copies of all they need, so
that they can run in the background while the person goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sidecut._validation import Int
from sidecut.app import words
from sidecut.app.answers import Answer, Labels, Trail, trail
from sidecut.app.ask import Question, next_question, other_label
from sidecut.app.cluster import cluster
from sidecut.app.exports import export
from sidecut.app.ground import Ground, prepare
from sidecut.app.history import History, Said
from sidecut.app.scribbles import Scribbles
from sidecut.app.segment import segment
from sidecut.app.session_file import Saved, is_session, load
from sidecut.app.statements import (
    MAX_LABELS,
    Link,
    Mark,
    Stroke,
    constraints_of,
    links_of,
    marks_of,
    strokes_of,
)
from sidecut.app.subject import Subject
from sidecut.app.uploads import read_subject, with_upload
from sidecut.app.work import Ticket
from sidecut.constraints import Constraints
from sidecut.path.core import WALK


@dataclass(frozen=True)
class LinkRow:
    """A line of the table: a link and whether the labels on show meet it."""

    link: Link
    met: bool


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
        self.history = History()
        self.n_clusters = 2
        self.mu: float | None = None
        self.answer: Answer | None = None
        self.trail: Trail | None = None
        self.question: Question | None = None
        self._skipped: set[int] = set()
        self._waiting: Saved | None = None
        self._shown: Labels | None = None
        self._sheet: tuple[Said, Scribbles] | None = None
        self._evidence: tuple[Said, int, Answer] | None = None

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
        self.history = History(saved.statements)
        self.n_clusters, self.mu = saved.n_clusters, saved.mu
        self._shown = saved.shown
        self.answer = self.trail = self.question = None
        self._skipped = set()
        self._sheet = self._evidence = None

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
        self.history.add(Stroke(label, radius, tuple((float(x), float(y)) for x, y in places)))

    def link(self, one: int, two: int, *, together: bool, weight: float = 1.0) -> None:
        """Say that two points belong together, or that they do not; the last word counts."""
        self._check_nodes(one, two)
        new = Link.between(one, two, together, weight)
        if self._replaced(new):
            return
        self.history.add(new)

    def mark(self, label: int, nodes: Sequence[int]) -> None:
        """Give points a label; 0 takes it away."""
        if not len(nodes):
            raise ValueError("the lasso holds no points")
        self._check_nodes(*nodes)
        self.history.add(Mark(label, tuple(int(node) for node in nodes)))

    def weigh(self, row: int, weight: float) -> None:
        """Change the weight of a line of the table."""
        self._replaced(replace(self.links[row], weight=float(weight)))

    def unlink(self, rows: Sequence[int]) -> None:
        """Remove lines of the table."""
        gone = {self.links[row].pair for row in rows}
        kept = (one for one in self.statements if not (isinstance(one, Link) and one.pair in gone))
        self.history.put(tuple(kept))

    def clear(self) -> bool:
        """Take everything back; undo brings it again; say whether there was something."""
        if not self.statements:
            return False
        self.history.put(())
        return True

    def undo(self) -> bool:
        """Take the last statement back; say whether there was one."""
        self.question = None
        return self.history.undo()

    def redo(self) -> bool:
        """Say again what was taken back; say whether there was something."""
        self.question = None
        return self.history.redo()

    def _replaced(self, new: Link) -> bool:
        """Put a link in place of an earlier one about the same pair, if there is one."""
        changed = tuple(
            new if isinstance(one, Link) and one.pair == new.pair else one
            for one in self.statements
        )
        if changed == self.statements:
            return any(link == new for link in self.links)
        self.history.put(changed)
        return True

    def _check_nodes(self, *nodes: int) -> None:
        if self.is_image:
            raise ValueError("links and labels are for points; draw on a photograph")
        n = self.ready.subject.n_samples
        wrong = [node for node in nodes if not 0 <= node < n]
        if wrong:
            raise ValueError(f"points are numbered 0 to {n - 1}, got {wrong[0]}")

    # -- what was said --------------------------------------------------------------------------

    @property
    def statements(self) -> Said:
        """All statements, the oldest first."""
        return self.history.now

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
        done: Said = ()
        sheet = Scribbles.empty(self.ready.subject.shape)
        # Most changes add a stroke: only that is drawn.
        if self._sheet is not None and self.statements[: len(self._sheet[0])] == self._sheet[0]:
            done, sheet = self._sheet
        if new := strokes_of(self.statements[len(done) :]):
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

    def find(self, text: str) -> tuple[int, int]:
        """Return the two points that a text names, by their names or numbers."""
        parts = [part for part in text.replace(",", " ").split() if part]
        names = self.ready.subject.names
        try:
            one, two = (names.index(part) if part in names else int(part) for part in parts)
        except ValueError:
            raise ValueError(f"write two points, such as 12, 57; got {text!r}") from None
        return one, two

    # -- answering ------------------------------------------------------------------------------

    def answer_job(self) -> Callable[[Ticket], Answer]:
        """Return the job that labels everything as things stand now; `show` takes its result."""
        return self._job(self.mu)

    def _job(self, mu: float | None) -> Callable[[Ticket], Answer]:
        ground = self.ready
        model, name = ground.model, ground.subject.row_name
        if model is None:
            sheet = self.scribbles
            return lambda ticket: segment(ground.basis, sheet, mu, words.LABEL_NAMES)
        known, count, marks = self.constraints, self.cluster_count, self.marks
        before = self._shown if self.answer is None else self.answer.labels
        return lambda ticket: cluster(
            model, known, count, mu, marks=marks, before=before, name=name, ticket=ticket
        )

    def show(self, answer: Answer) -> None:
        """Take an answer."""
        self.answer = answer
        if self.mu is None:
            self._evidence = (self.statements, self.cluster_count, answer)

    def trail_job(self) -> Callable[[Ticket], Trail | None]:
        """Return the job that follows the path; `trail` keeps its result.

        The choice of the evidence is marked on it wherever the person has gone; it is computed
        again only when something was said meanwhile.
        """
        ground, known, count = self.ready, self.constraints, self.cluster_count
        before = self._evidence
        choose = self._job(None)
        if before is not None and before[:2] == (self.statements, count):
            kept = before[2]
            choose = lambda ticket: kept  # noqa: E731
        return lambda ticket: trail(ground.basis, known, count, choose(ticket), ticket)

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
            raise ValueError("open something first")
        work = (self.ready.basis, self.answer, self.constraints, self.ready.plane)
        find = partial(
            next_question, *work, pairs=not self.is_image, avoid=frozenset(self._skipped)
        )
        return lambda ticket: find()

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

    def saved(self) -> Saved:
        """Return the session as it stands."""
        shown = None if self.answer is None else self.answer.labels.ravel()
        return Saved(self.ready.subject, self.statements, self.n_clusters, self.mu, shown)

    def standardized(self) -> Saved:
        """Return the session with standardised columns, to be opened anew."""
        return replace(self.saved(), subject=self.ready.subject.standardized)

    def export(self, what: str) -> tuple[str, bytes]:
        """Return the name and the content of a file: mask, labels, scribbles, constraints, session.

        Labels are 1, 2, ...; 0 means none.
        """
        labels = None if self.answer is None else self.answer.labels
        return export(what, self.saved(), labels)

    # -- in words -------------------------------------------------------------------------------

    def welcome(self) -> str:
        """Say what was opened and what to do."""
        return words.welcome(self.ready.subject)

    def summary(self) -> str:
        """Say what the labels are; nothing while nothing was said."""
        if self.answer is None or not self.statements:
            return ""
        return words.summary(self.answer, pairs=not self.is_image)

    def question_text(self) -> str:
        """Return the question that is open, if one is."""
        return words.question(self.question, self.ready.subject) if self.question else ""
