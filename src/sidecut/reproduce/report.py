"""One HTML file that holds everything: text, tables, pictures. No scripts, no requests."""

from __future__ import annotations

import base64
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path

from sidecut.experiments._claims import FAILS, HOLDS, NOT_RUN, PARTLY
from sidecut.reproduce._content import Table
from sidecut.reproduce.machine import Machine
from sidecut.reproduce.run import Finding, Image, ItemResult

PAPER = "Wang, Qian and Davidson, On constrained spectral clustering and its applications (2014)"
_CLASSES = {HOLDS: "holds", PARTLY: "partly", FAILS: "fails", NOT_RUN: "none"}
_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;color:#222;max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:3rem;border-top:1px solid #ddd;padding-top:1rem}
table{border-collapse:collapse;margin:.6rem 0;font-size:.88rem}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{padding:.25rem .6rem;border-bottom:1px solid #e3e3e3;text-align:left;vertical-align:top}
thead th{border-bottom:2px solid #999}.scroll{overflow-x:auto}
.numbers td,.numbers th,.claims td:first-child{white-space:nowrap}.numbers .n{text-align:right}
figure{margin:1.2rem 0}img{max-width:100%;height:auto}figcaption,.notes{font-size:.9rem;color:#555}
.verdict{white-space:nowrap;font-weight:600;border-radius:.3rem;padding:.05rem .45rem}
.holds{background:#d9f0e3;color:#0b5b33}.partly{background:#fdf0cf;color:#6b4b00}
.fails{background:#fbdcdc;color:#8a1420}.none{background:#e8e8e8;color:#444}
.missing{border-left:4px solid #8a1420;padding:.4rem .8rem;background:#fbeeee}
summary{cursor:pointer;color:#0a58a5;margin:.4rem 0}a{color:#0a58a5}
"""


def report_html(results: Sequence[ItemResult], machine: Machine, *, quick: bool) -> str:
    """Return the report as one HTML text.

    Parameters
    ----------
    results : sequence of ItemResult
    machine : Machine
        Where they were made.
    quick : bool
        Whether the settings were the quick ones.
    """
    kind = "quick settings: fewer trials than the paper's" if quick else "full settings"
    body = [
        "<h1>The paper, measured</h1>",
        f"<p>{_text(PAPER)}: what it claims, in our words, beside what sidecut measured "
        f"({_text(kind)}). {_count(results)}</p>",
        f'<p class="notes">Made on {_text(machine)}. Every random draw is seeded by its number, so '
        "a second run gives the same figures; seconds depend on what else the machine does.</p>",
        _overview(results),
        *(_section(result) for result in results),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>sidecut: the paper, measured</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def write_report(
    folder: Path, results: Sequence[ItemResult], machine: Machine, *, quick: bool
) -> list[Path]:
    """Write `report.html` and the PNGs into a folder; return their paths, the report first.

    Every file is written beside its place and renamed, so that it is there whole or not at all.
    """
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "report.html"
    pictures = [(folder / f"{i.name}.png", i.png) for r in results for i in r.images]
    for path, data in pictures:
        _write(path, data)
    _write(report, report_html(results, machine, quick=quick).encode())
    return [report, *(path for path, _ in pictures)]


def _write(path: Path, data: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".sidecut-", delete=False) as file:
        part = Path(file.name)
    try:
        part.write_bytes(data)
        # A temporary file is private; a report is to be read like any other file of its folder.
        part.chmod(0o644)
        part.replace(path)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def _text(value: object) -> str:
    return escape(str(value))


def _count(results: Sequence[ItemResult]) -> str:
    counts = Counter(finding.verdict for result in results for finding in result.findings)
    parts = [f"{counts[name]} × {name}" for name in _CLASSES if counts[name]]
    return _text(f"{counts.total()} claims, some beyond the paper: {', '.join(parts)}.")


def _overview(results: Sequence[ItemResult]) -> str:
    rows = []
    for result in results:
        link = f'<a href="#{_text(result.name)}">{_text(result.title)}</a>'
        counts = Counter(finding.verdict for finding in result.findings)
        marks = " ".join(_mark(v, f"{counts[v]} × {v}") for v in _CLASSES if counts[v])
        rows.append(f"<tr><td>{link}</td><td>{marks}</td></tr>")
    head = "<thead><tr><th>item</th><th>claims</th></tr></thead>"
    return f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"


def _section(result: ItemResult) -> str:
    used = ", ".join(f"{name} = {_short(value)}" for name, value in result.settings.items())
    parts = [f'<section id="{_text(result.name)}"><h2>{_text(result.title)}</h2>']
    if result.missing:
        parts.append(f'<p class="missing">{_text(result.missing)}</p>')
    parts.append(_findings(result.findings))
    parts += [_figure(image) for image in result.images]
    parts += [_table(table) for table in result.tables]
    if result.notes:
        notes = re.sub("`(.+?)`", r"<code>\1</code>", _text(result.notes))
        parts.append(f'<p class="notes">{notes}</p>')
    took = "" if result.missing else f" This run took {result.seconds:.0f} s."
    parts.append(f'<p class="notes">Settings: {_text(used)}.{took}</p></section>')
    return "\n".join(parts)


def _short(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _mark(verdict: str, text: str) -> str:
    return f'<span class="verdict {_CLASSES[verdict]}">{_text(text)}</span>'


def _findings(findings: Iterable[Finding]) -> str:
    rows = "".join(
        f"<tr><td>{_text(f.where)}</td><td>{_text(f.text)}</td><td>{_text(f.measured)}</td>"
        f"<td>{_mark(f.verdict, f.verdict)}</td></tr>"
        for f in findings
    )
    head = "<tr><th>where</th><th>claim</th><th>measured</th><th>verdict</th></tr>"
    return f'<table class="claims"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _figure(image: Image) -> str:
    data = base64.b64encode(image.png).decode()
    return (
        f'<figure><img src="data:image/png;base64,{data}" alt="{_text(image.caption)}">'
        f"<figcaption>{_text(image.caption)}</figcaption></figure>"
    )


def _table(table: Table) -> str:
    columns = zip(*table.rows, strict=True)
    kinds = [' class="n"' if all(map(_is_number, column)) else "" for column in columns]
    head, *rows = (
        "".join(
            f"<{tag}{kind}>{_text(cell)}</{tag}>" for kind, cell in zip(kinds, row, strict=True)
        )
        for tag, row in (("th", table.header), *(("td", row) for row in table.rows))
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    title = "" if table.folded else f"<caption>{_text(table.title)}</caption>"
    text = (
        f'<div class="scroll"><table class="numbers">{title}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
    if table.folded:
        return f"<details><summary>{_text(table.title)}</summary>{text}</details>"
    return text


def _is_number(cell: str) -> bool:
    return cell[:1].isdigit() or cell[:1] in "+-"
