// Show the whole photograph, neither stretched nor squeezed.
const [width, height] = [photo.data.w[0], photo.data.h[0]]
if (width === undefined || !figure.inner_width || !figure.inner_height) return
const scale = Math.max(width / figure.inner_width, height / figure.inner_height)
const halves = [[figure.x_range, width, figure.inner_width], [figure.y_range, height, figure.inner_height]]
for (const [range, size, pixels] of halves) {
  const half = pixels * scale / 2
  range.setv({start: size / 2 - half, end: size / 2 + half})
}
