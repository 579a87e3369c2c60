"""The results as a markdown page: overall, by data set, and where no labels came."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sidecut.bench.cases import TWO_CLASSES
from sidecut.bench.methods import OURS
from sidecut.bench.results import Settings
from sidecut.bench.summary import DIGITS, Cell, Spread, standings
from sidecut.bench.trials import OK

Row = tuple[str, ...]


def leaderboard(
    cells: Sequence[Cell], settings: Settings, *, skipped: Sequence[str] = (), ours: str = OURS
) -> str:
    """Return the page.

    Parameters
    ----------
    cells : sequence of Cell
        As `summarize` returns them.
    settings : Settings
        How and where they were measured.
    skipped : sequence of str
        Why data sets are missing.
    ours : str
        The method whose losses are listed.
    """
    parts = [
        "# Accuracy of every method",
        "\n".join(_how(cells, settings)),
        "## Overall",
        "Means over all problems (data set × graph × number of pairs). Rank 1 is the highest mean "
        "ARI of a problem; equals share places, and a method without labels shares the last. A "
        "draw without labels counts as ARI and NMI 0. Won: no method had a higher mean ARI.",
        markdown(*overall(cells)),
        *_by_classes(cells),
        f"## Where {ours} is not first",
        _losses(cells, ours),
        "## By data set",
        "Mean ARI over the draws (least to most) and rank for each number of pairs; NMI, share of "
        "pairs satisfied and seconds of a fit are means over the numbers of pairs. † some draws "
        "gave no labels.",
    ]
    for (dataset, graph), own in by_case(cells).items():
        parts += [f"### {dataset} ({graph})", markdown(*case_table(own))]
    parts += ["## Without labels", _without(cells)]
    if skipped:
        parts += ["## Skipped", "\n".join(f"- {reason}" for reason in skipped)]
    return "\n\n".join(parts) + "\n"


def _how(cells: Sequence[Cell], settings: Settings) -> list[str]:
    versions = ", ".join(f"{name} {number}" for name, number in settings.versions.items())
    pairs = sorted({cell.pairs for cell in cells})
    draws = max((cell.draws for cell in cells), default=0)
    lines = [
        f"- Made by `sidecut bench accuracy{' --quick' if settings.quick else ''}`; pairs "
        f"{', '.join(map(str, pairs))}; {draws} draws; seed {settings.seed}.",
        "- Every method with its defaults, told the number of clusters and given the same graph "
        "and the same pairs. Pairs are drawn uniformly and are right. No tuning for anyone.",
        f"- Seconds are computing time of `fit` alone, on one thread, {settings.jobs} fits at a "
        f"time; limit {settings.limit:g} s a fit.",
        f"- Machine: {settings.cpu}, {settings.cores} cores.",
        f"- Versions: {versions}.",
    ]
    if settings.quick:
        lines.insert(1, "- **A quick run on cut-down data: not a result to quote.**")
    return lines


def _by_classes(cells: Sequence[Cell]) -> list[str]:
    """Return the ranking of two-class problems and that of the others, where there are both."""
    two = [cell for cell in cells if cell.dataset in TWO_CLASSES]
    more = [cell for cell in cells if cell.dataset not in TWO_CLASSES]
    if not two or not more:
        return []
    parts = [
        "Some methods cut in two only and refuse the other problems. The same table for problems "
        "of two classes and for those of more:"
    ]
    return [*parts, markdown(*overall(two)), markdown(*overall(more))]


def overall(cells: Sequence[Cell]) -> tuple[Row, list[Row]]:
    """Return header and rows of the ranking."""
    header: Row = (
        "method", "mean rank", "won", "mean ARI", "mean NMI", "satisfied", "seconds",
        "problems", "with draws lost",
    )  # fmt: skip
    rows: list[Row] = [
        (
            item.method,
            f"{item.mean_rank:.2f}",
            str(item.won),
            number(item.mean_ari),
            number(item.mean_nmi),
            number(item.satisfied),
            seconds(item.seconds),
            str(item.cells),
            str(item.without),
        )
        for item in standings(cells)
    ]
    return header, rows


def case_table(cells: Sequence[Cell]) -> tuple[Row, list[Row]]:
    """Return header and rows of one data set and graph, the best mean rank first."""
    pairs = sorted({cell.pairs for cell in cells})
    header = ("method", *(f"{count} pairs" for count in pairs), "NMI", "satisfied", "seconds")
    own = {(cell.method, cell.pairs): cell for cell in cells}
    rows: list[Row] = []
    for item in standings(cells):
        found = [own.get((item.method, count)) for count in pairs]
        rows.append(
            (
                item.method,
                *(_score(cell) if cell else "" for cell in found),
                number(item.mean_nmi) if any(cell and cell.done for cell in found) else "",
                number(item.satisfied),
                seconds(item.seconds),
            )
        )
    return header, rows


def by_case(cells: Iterable[Cell]) -> dict[tuple[str, str], list[Cell]]:
    """Group cells by data set and graph."""
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.dataset, cell.graph].append(cell)
    return groups


def _score(cell: Cell) -> str:
    if cell.status != OK:
        return cell.status
    spread: Spread = cell.ari
    mark = "†" if cell.done < cell.draws else ""
    least, most = number(spread.min, 2), number(spread.max, 2)
    return f"{number(spread.mean)}{mark} ({least} to {most}) #{cell.rank:g}"


def _losses(cells: Sequence[Cell], ours: str) -> str:
    """List the problems where another method had the higher mean ARI, the widest gap first."""
    problems: dict[tuple[str, str, int], list[Cell]] = defaultdict(list)
    for cell in cells:
        problems[cell.dataset, cell.graph, cell.pairs].append(cell)
    rows = []
    for own in problems.values():
        mine = next((cell for cell in own if cell.method == ours), None)
        best = min(own, key=lambda cell: cell.rank)
        if mine is None or mine.rank <= best.rank:
            continue
        gap = round(best.ari.mean, DIGITS) - round(mine.ari.mean, DIGITS)
        row = (
            f"{mine.dataset} ({mine.graph})", str(mine.pairs), _score(mine),
            f"{best.method}: {_score(best)}", number(gap),
        )  # fmt: skip
        rows.append((gap, row))
    if not rows:
        return "Nowhere." if any(cell.method == ours for cell in cells) else "It took no part."
    rows.sort(key=lambda item: -item[0])
    header = ("data set", "pairs", "ours", "best", "gap")
    count = f"{len(rows)} of {len(problems)} problems, the widest gap first."
    return f"{count}\n\n{markdown(header, [row for _, row in rows])}"


def _without(cells: Sequence[Cell]) -> str:
    """List what was refused, failed or timed out, with the words of the method."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for cell in cells:
        if cell.done < cell.draws:
            lost = f"{cell.draws - cell.done} of {cell.draws}"
            place = f"{cell.dataset} ({cell.graph}) {cell.pairs} pairs: {lost}"
            groups[cell.method, cell.message].append(place)
    if not groups:
        return "Every draw of every method gave labels."
    rows: list[Row] = [
        (method, message, "; ".join(places)) for (method, message), places in sorted(groups.items())
    ]
    return markdown(("method", "it said", "draws lost"), rows)


def markdown(header: Row, rows: Sequence[Row]) -> str:
    """Return a table."""
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in lines
    )


def number(value: float, digits: int = DIGITS) -> str:
    """Write a score; nothing for nan, and no zero with a minus."""
    return "" if value != value else f"{round(value, digits) + 0.0:.{digits}f}"


def seconds(value: float) -> str:
    """Write a time to two figures or so."""
    return "" if value != value else f"{value:.3f}" if value < 1 else f"{value:.1f}"
