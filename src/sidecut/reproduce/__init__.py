"""The paper's figures and tables from records, and one HTML report of what holds.

`run_item` fetches data, runs an experiment, judges its claims and draws; `write_report` writes the
report and the pictures. The command `sidecut reproduce` does both. Needs the extra `reproduce`.
"""

from sidecut.reproduce.items import ITEMS, Item, select
from sidecut.reproduce.machine import Machine, check_same_versions
from sidecut.reproduce.report import report_html, write_report
from sidecut.reproduce.run import Finding, Image, ItemResult, run_item

__all__ = [
    "ITEMS",
    "Finding",
    "Image",
    "Item",
    "ItemResult",
    "Machine",
    "check_same_versions",
    "report_html",
    "run_item",
    "select",
    "write_report",
]
