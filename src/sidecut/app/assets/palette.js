// Segments as tinted areas with firm edges, or the edges alone; all without asking the server.
const tint = Math.round(255 * opacity.value).toString(16).padStart(2, "0")
const clear = "#00000000"
const areas = view.active === 0
mapper.palette = [clear, ...colours.map((c) => areas ? c + tint : clear), ...colours.map((c) => c + "ff")]
segments.visible = view.active !== 2
indicator.visible = view.active === 2
indicator.glyph.global_alpha = Math.min(1, opacity.value + 0.25)
