// Draws the stroke under the mouse and sends it when it ends; nothing is sent on the way.
const event = cb_obj
if (tool.active === 2) return
const places = live.data
const begin = () => {
  const scale = figure.inner_width / Math.abs(figure.x_range.end - figure.x_range.start)
  line.glyph.setv({
    line_width: {value: 2 * size.value * scale},
    line_color: {value: tool.active === 1 ? "#ffffff" : colours[colour.active]},
  }, {sync: false})
  live.setv({data: {x: [event.x], y: [event.y]}}, {sync: false})
}
const end = () => {
  const {x, y} = live.data
  window.sidecut.strokeSent()
  window.sidecut.send("stroke", {
    label: tool.active === 1 ? 0 : colour.active + 1,
    radius: size.value,
    x: Array.from(x),
    y: Array.from(y),
  })
}
if (event.event_name.endsWith("tap")) { begin(); end() }
else if (event.event_name === "panstart") begin()
else if (event.event_name === "pan") {
  places.x.push(event.x)
  places.y.push(event.y)
  live.change.emit()
} else if (event.event_name === "panend") end()
