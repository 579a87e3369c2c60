"""The controls that photographs and points share, and where everything is on the page."""

from __future__ import annotations

from typing import Any

from bokeh.layouts import column, row
from bokeh.models import Button, Div, FileInput, RadioButtonGroup, Select

from sidecut.app.image_view import ImageView
from sidecut.app.look import BUTTONS, SWATCHES, heading
from sidecut.app.path_panel import PathPanel
from sidecut.app.points_view import PointsView
from sidecut.app.samples import SAMPLES
from sidecut.app.state import LABEL_NAMES
from sidecut.read.problem import KINDS

EXPORTS = {
    "mask": "Mask (png)",
    "labels": "Labels",
    "scribbles": "Scribbles (png)",
    "constraints": "Constraints (csv)",
    "session": "Session",
}


class Controls:
    """Colour, history, exports and what opens things; the page says what they do."""

    def __init__(self) -> None:
        wide = {"sizing_mode": "stretch_width", "stylesheets": [BUTTONS]}
        self.colour = RadioButtonGroup(
            labels=[str(k + 1) for k in range(len(LABEL_NAMES))],
            active=0,
            name="colour",
            sizing_mode="stretch_width",
            stylesheets=[SWATCHES],
        )
        self.colour_name = heading("")
        self.colour.on_change("active", lambda attr, old, new: self._name_colour())
        self._name_colour()
        self.undo = Button(label="Undo", name="undo", **wide)
        self.redo = Button(label="Redo", name="redo", **wide)
        self.clear = Button(label="Clear", name="clear", **wide)
        self.exports = {
            what: Button(label=label, name=f"export_{what}", margin=(3, 5), **wide)
            for what, label in EXPORTS.items()
        }
        self.samples = Select(
            options=[("", "Open a sample …"), *SAMPLES.items()],
            value="",
            width=230,
            name="samples",
            margin=(5, 10),
        )
        self.file = FileInput(
            accept=",".join(KINDS), width=270, name="file", styles={"color": "#fff"}
        )
        self.stop = Button(
            label="Stop", name="stop", width=70, visible=False, stylesheets=[BUTTONS]
        )

    def _name_colour(self) -> None:
        active = self.colour.active or 0
        self.colour_name.text = f"Colour {active + 1}: {LABEL_NAMES[active]}"


class Layout:
    """The roots of the page, `open`, `tools`, `canvas` and `side`, as its template names them."""

    def __init__(
        self, common: Controls, image: ImageView, points: PointsView, panel: PathPanel
    ) -> None:
        wide: dict[str, Any] = {"sizing_mode": "stretch_width"}
        image_tools = column(heading("Tool"), image.tool, **wide)
        view_tools = column(heading("View"), image.view, image.opacity, **wide)
        point_tools = column(
            heading("Tool"), points.tool, points.count, points.standardize, visible=False, **wide
        )
        link_tools = row(
            points.ends, points.add_must, points.add_cannot, points.remove, visible=False, **wide
        )
        exports = common.exports
        self._labels = exports["labels"]
        self._for_image = (
            image.figure,
            image_tools,
            image.size,
            view_tools,
            exports["mask"],
            exports["scribbles"],
        )
        self._for_points = (
            points.figure,
            points.table,
            point_tools,
            link_tools,
            exports["constraints"],
        )
        tools = column(
            image_tools,
            point_tools,
            common.colour_name,
            common.colour,
            image.size,
            row(common.undo, common.redo, common.clear, **wide),
            view_tools,
            column(heading("Export"), *exports.values(), spacing=2, **wide),
            name="tools",
            **wide,
        )
        canvas = column(
            image.figure,
            points.figure,
            link_tools,
            points.table,
            sizing_mode="stretch_both",
            name="canvas",
        )
        own = Div(text="or a file of your own", styles={"color": "#b9c3d1"}, margin=(12, 0, 5, 5))
        opening = row(common.samples, own, common.file, common.stop, name="open")
        self.roots = (opening, tools, canvas, panel.layout)

    def show(self, *, image: bool) -> None:
        """Show what photographs need, or what points need."""
        for widget in self._for_image:
            widget.visible = image
        for widget in self._for_points:
            widget.visible = not image
        self._labels.label = "Labels (npz)" if image else "Labels (csv)"
