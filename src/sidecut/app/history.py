"""All that a person has said, with the way back and forth."""

from __future__ import annotations

from sidecut.app.statements import Statement

MAX_STATEMENTS = 5000

Said = tuple[Statement, ...]


class History:
    """An immutable list of statements, and the lists before and after it.

    Examples
    --------
    >>> from sidecut.app.history import History
    >>> from sidecut.app.statements import Link
    >>> history = History()
    >>> history.add(Link(0, 1, together=True))
    >>> history.undo(), len(history.now), history.undo()
    (True, 0, False)
    """

    def __init__(self, now: Said = ()) -> None:
        self.now = now
        self._past: list[Said] = []
        self._future: list[Said] = []

    def put(self, statements: Said) -> None:
        """Go on with another list."""
        self._past.append(self.now)
        self._future.clear()
        self.now = statements

    def add(self, statement: Statement) -> None:
        """Add a statement."""
        if len(self.now) >= MAX_STATEMENTS:
            raise ValueError(f"a session holds {MAX_STATEMENTS} statements; save it and start anew")
        self.put((*self.now, statement))

    def undo(self) -> bool:
        """Go back by one; say whether there was something to go back to."""
        return self._step(self._past, self._future)

    def redo(self) -> bool:
        """Go forth again; say whether there was something."""
        return self._step(self._future, self._past)

    def _step(self, here: list[Said], there: list[Said]) -> bool:
        if not here:
            return False
        there.append(self.now)
        self.now = here.pop()
        return True
