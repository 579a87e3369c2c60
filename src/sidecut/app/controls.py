"""The controls that photographs and points share."""

from __future__ import annotations

from bokeh.models import Button, FileInput, RadioButtonGroup, Select

from sidecut.app.look import BUTTONS, SWATCHES, heading
from sidecut.app.samples import SAMPLES
from sidecut.app.words import LABEL_NAMES
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
            accept=",".join(KINDS),
            width=270,
            name="file",
            stylesheets=[":host { color: #1c2430; }"],
        )
        self.stop = Button(
            label="Stop", name="stop", width=70, visible=False, stylesheets=[BUTTONS]
        )

    def _name_colour(self) -> None:
        active = self.colour.active or 0
        self.colour_name.text = f"Colour {active + 1}: {LABEL_NAMES[active]}"
