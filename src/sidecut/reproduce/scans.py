"""Fig. 12 and 13: transfer between two scans of a person, and of a network to a scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sidecut.experiments.scans import CONTROLS, PATIENTS, ScanRecord, group_test
from sidecut.reproduce._content import Content, Picture, Table
from sidecut.reproduce._style import dress, panels

STEPS = ("first", "second", "transferred")
COLORS = {PATIENTS: "#d55e00", CONTROLS: "#0072b2"}


def scans(records: Sequence[ScanRecord], settings: Any) -> Content:
    """Draw agreement by person, and the strip plot of costs with its rank test."""
    persons = [r for r in records if r.part == "transfer"]
    others = [r for r in records if r.part == "cost"]
    pictures, tables = [], []
    if persons:
        caption = (
            "Fig. 12. Agreement with the default mode network of the two Ncuts of each person and "
            "of the cut that transfers the first scan to the second. Orange: above both Ncuts; "
            "black: mean."
        )
        pictures.append(Picture("fig12", caption, _transfer(persons)))
        tables.append(_persons(persons))
    if others:
        caption = (
            "Fig. 13. Cost of putting the network on a scan, one dot a person; black: median; p by "
            "the one-sided rank test of Mann and Whitney."
        )
        pictures.append(Picture("fig13", caption, _costs(others)))
        tables.append(_groups(others))
    return Content(tuple(pictures), tuple(tables))


def _transfer(persons: Sequence[ScanRecord]) -> Any:
    figure, axes = panels(1, 2, width=4, height=3.3, width_ratios=(1.5, 1))
    ax, right = axes[0]
    values = np.array([[getattr(r, step) for step in STEPS] for r in persons])
    for row in values:
        raised = row[2] > row[:2].max()
        ax.plot(row, marker="o", markersize=3.5, linewidth=1, alpha=0.9,
                color="#d55e00" if raised else "0.72", zorder=3 if raised else 2)  # fmt: skip
    ax.plot(values.mean(axis=0), color="black", linewidth=2.2, marker="o", zorder=4)
    dress(ax, "(a) agreement", "", "size of the Matthews correlation")
    ax.set_xticks(range(3), ["Ncut, scan 1", "Ncut, scan 2", "transfer 1 → 2"])
    ax.set_xlim(-0.2, 2.2)
    right.hist([r.between for r in persons], bins=np.linspace(0, 1, 11).tolist(), color="#0072b2",
               edgecolor="white")  # fmt: skip
    right.yaxis.get_major_locator().set_params(integer=True)
    dress(right, "(b) alikeness of the two Ncuts", "size of the correlation", "persons")
    return figure


def _costs(records: Sequence[ScanRecord]) -> Any:
    sites = list(dict.fromkeys(r.site for r in records))
    figure, axes = panels(1, len(sites), width=3.2, height=3.4, sharey=True)
    rng = np.random.default_rng(0)
    for ax, site in zip(axes[0], sites, strict=True):
        names = []
        for k, group in enumerate((CONTROLS, PATIENTS)):
            costs = [r.cost for r in records if (r.site, r.group) == (site, group)]
            places = k + rng.uniform(-0.16, 0.16, len(costs))
            ax.scatter(places, costs, s=16, color=COLORS[group], alpha=0.75, linewidths=0)
            ax.hlines(np.median(costs), k - 0.28, k + 0.28, color="black", linewidth=1.8)
            names.append(f"{group} ({len(costs)})")
        p = group_test(records, [site])
        dress(ax, f"{site.upper()}: p = {p:.3f}", "", "cost v'L̄v" if ax is axes[0, 0] else "")
        ax.set_xticks(range(2), names)
        ax.set_xlim(-0.6, 1.6)
    if len(sites) > 1:
        figure.suptitle(f"sites together: p = {group_test(records, sites):.3f}", fontsize=10)
    return figure


def _persons(persons: Sequence[ScanRecord]) -> Table:
    rows = tuple(
        (r.subject, *(f"{getattr(r, name):.3f}" for name in (*STEPS, "between"))) for r in persons
    )
    header = ("person", "Ncut, scan 1", "Ncut, scan 2", "transfer", "correlation of the Ncuts")
    return Table("Agreement with the default mode network", header, rows, folded=True)


def _groups(records: Sequence[ScanRecord]) -> Table:
    rows = []
    for site in dict.fromkeys(r.site for r in records):
        for group in (PATIENTS, CONTROLS):
            own = [r for r in records if (r.site, r.group) == (site, group)]
            middle = np.median([r.cost for r in own])
            alike = np.mean([r.similarity for r in own])
            rows.append((site.upper(), group, str(len(own)), f"{middle:.4f}", f"{alike:.2f}"))
    header = ("site", "group", "persons", "median cost", "mean similarity to the network")
    return Table("Cost of the network", header, tuple(rows))
