"""Where everything is on the page."""

from __future__ import annotations

from typing import Any

from bokeh.layouts import column, row
from bokeh.models import Div

from sidecut.app.ask_panel import AskPanel
from sidecut.app.controls import Controls
from sidecut.app.doubt_list import DoubtList
from sidecut.app.image_view import ImageView
from sidecut.app.look import heading
from sidecut.app.path_panel import PathPanel
from sidecut.app.points_view import PointsView


class Layout:
    """The roots of the page, `open`, `tools`, `canvas` and `side`, as its template names them."""

    def __init__(
        self,
        common: Controls,
        image: ImageView,
        points: PointsView,
        panel: PathPanel,
        asking: AskPanel,
        doubts: DoubtList,
    ) -> None:
        wide: dict[str, Any] = {"sizing_mode": "stretch_width"}
        image_tools = column(heading("Tool"), image.tool, **wide)
        view_tools = column(heading("View"), image.view, image.opacity, **wide)
        point_tools = column(
            heading("Tool"), points.tool, points.count, points.standardize, visible=False, **wide
        )
        table = points.table
        link_tools = row(
            table.ends, table.add_must, table.add_cannot, table.remove, visible=False, **wide
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
            points.picture.figure,
            table.table,
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
            points.picture.figure,
            link_tools,
            table.table,
            sizing_mode="stretch_both",
            name="canvas",
        )
        own = Div(text="or a file of your own", styles={"color": "#b9c3d1"}, margin=(12, 0, 5, 5))
        opening = row(common.samples, own, common.file, common.stop, name="open")
        side = column(
            *(heading("The constrained path"), *panel.widgets),
            *(heading("Ask me"), *asking.widgets),
            *(heading("Doubtful"), *doubts.widgets),
            name="side",
            spacing=3,
            **wide,
        )
        self.roots = (opening, tools, canvas, side)

    def show(self, *, image: bool) -> None:
        """Show what photographs need, or what points need."""
        for widget in self._for_image:
            widget.visible = image
        for widget in self._for_points:
            widget.visible = not image
        self._labels.label = "Labels (npz)" if image else "Labels (csv)"
