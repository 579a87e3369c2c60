"""How well a labelling meets constraints, counted and weighted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tally:
    """Statements of one kind: how many, their weight, and what of it a labelling meets."""

    count: int = 0
    count_satisfied: int = 0
    weight: float = 0.0
    weight_satisfied: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.count + other.count,
            self.count_satisfied + other.count_satisfied,
            self.weight + other.weight,
            self.weight_satisfied + other.weight_satisfied,
        )

    @property
    def count_violated(self) -> int:
        """Number of statements that the labelling breaks."""
        return self.count - self.count_satisfied

    @property
    def share(self) -> float:
        """Share of the weight that is satisfied; 1 when nothing was asked."""
        return self.weight_satisfied / self.weight if self.weight > 0 else 1.0


@dataclass(frozen=True)
class Satisfaction:
    """What a labelling makes of the must-links and the cannot-links."""

    must: Tally = Tally()
    cannot: Tally = Tally()

    def __add__(self, other: Satisfaction) -> Satisfaction:
        return Satisfaction(self.must + other.must, self.cannot + other.cannot)

    @property
    def total(self) -> Tally:
        """Both kinds together."""
        return self.must + self.cannot

    @property
    def share(self) -> float:
        """Share of all constraint weight that is satisfied; 1 when nothing was asked."""
        return self.total.share

    def __str__(self) -> str:
        lines = []
        for name, tally in (("must-links", self.must), ("cannot-links", self.cannot)):
            if tally.count:
                lines.append(
                    f"{name}: {tally.count_satisfied} of {tally.count} satisfied "
                    f"({tally.share:.1%} of the weight)"
                )
        return "\n".join(lines) or "no constraints"
