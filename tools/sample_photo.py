"""Render the photograph that the app opens first, and its known mask.

A ray-traced still life: an orange, a lime and a plum on a wooden table before a plaster wall, with
a large soft light, texture, blur and sensor noise. Made from nothing, so free to ship.
Run `python tools/sample_photo.py` to write both files again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter, map_coordinates

Array = NDArray[Any]

WIDTH, HEIGHT, SUPER = 481, 321, 3
FOLDER = Path(__file__).parents[1] / "src" / "sidecut" / "app" / "assets"
CAMERA = np.array([0.0, 1.75, -5.2])
TARGET = np.array([0.05, 0.62, 0.0])
LIGHT = np.array([-3.2, 5.0, -3.0])
LIGHT_SIZE, LIGHT_SAMPLES = 0.9, 20
WALL = 3.2


@dataclass(frozen=True)
class Fruit:
    """An ellipsoid; its label in the mask is its place in the list plus one."""

    centre: tuple[float, float, float]
    radii: tuple[float, float, float]
    colour: tuple[float, float, float]
    second: tuple[float, float, float]
    bumps: float
    gloss: float


FRUITS = (
    Fruit(
        (-0.85, 0.92, 0.25), (0.95, 0.92, 0.95), (0.93, 0.45, 0.06), (0.97, 0.58, 0.12), 1.0, 0.5
    ),
    Fruit((0.85, 0.6, -0.55), (0.8, 0.6, 0.62), (0.33, 0.55, 0.10), (0.55, 0.68, 0.20), 0.5, 0.6),
    Fruit((1.35, 0.68, 1.0), (0.66, 0.68, 0.66), (0.26, 0.07, 0.24), (0.42, 0.12, 0.28), 0.15, 0.4),
)


def noise(points: Array, scale: Any, seed: int, octaves: int = 4) -> Array:
    """Return smooth noise of mean 0 at points of space, rougher with each octave."""
    lattice = np.random.default_rng(seed).normal(size=(32, 32, 32))
    total = np.zeros(points.shape[:-1])
    for octave in range(octaves):
        where = np.moveaxis(points * scale * 2**octave, -1, 0)
        total += map_coordinates(lattice, where, order=1, mode="grid-wrap") / 1.8**octave
    return total / 2


def unit(v: Array) -> Array:
    """Return vectors of length one."""
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def meet(origin: Array, direction: Array, fruit: Fruit) -> Array:
    """Return the distance to a fruit along each ray, inf where it is missed."""
    radii, centre = np.array(fruit.radii), np.array(fruit.centre)
    o, d = (origin - centre) / radii, direction / radii
    a, b, c = (d * d).sum(-1), (o * d).sum(-1), (o * o).sum(-1) - 1
    root = b * b - a * c
    distance = (-b - np.sqrt(np.maximum(root, 0))) / a
    return np.where((root > 0) & (distance > 1e-4), distance, np.inf)


def rays() -> Array:
    """Return the direction through each fine pixel."""
    forward = unit(TARGET - CAMERA)
    right = unit(np.cross(np.array([0.0, 1.0, 0.0]), forward))
    up = np.cross(forward, right)
    x = (np.arange(WIDTH * SUPER) + 0.5) / SUPER - WIDTH / 2
    y = HEIGHT / 2 - (np.arange(HEIGHT * SUPER) + 0.5) / SUPER
    focal = 1.72 * HEIGHT
    grid = x[None, :, None] * right + y[:, None, None] * up + focal * forward
    return unit(grid)


def surfaces(points: Array, label: Array) -> tuple[Array, Array, Array]:
    """Return colour, normal and gloss of what each ray met."""
    colour = np.zeros(points.shape)
    normal = np.zeros(points.shape)
    gloss = np.zeros(points.shape[:-1])
    wall = (label == 0) & (points[..., 2] > WALL - 1e-3)
    plaster = noise(points, np.array([0.7, 0.7, 0.7]), 1)[..., None]
    colour[wall] = (np.array([0.62, 0.66, 0.70]) * (1 + 0.06 * plaster))[wall]
    normal[wall] = (0, 0, -1)
    table = (label == 0) & ~wall
    # Wood: rings of a far axis, stretched along x, and fine grain.
    ring = points[..., 2] * 2.2 + 0.55 * noise(points, np.array([0.35, 1.0, 1.6]), 2)
    grain = noise(points, np.array([1.5, 5.0, 42.0]), 3)
    wood = 0.5 + 0.5 * np.sin(2 * np.pi * ring)
    tint = np.array([0.50, 0.33, 0.20]) + wood[..., None] * np.array([0.12, 0.09, 0.06])
    planks = np.abs((points[..., 2] / 0.95) % 1 - 0.5) > 0.488
    tint = tint * (1 + 0.16 * grain[..., None]) * np.where(planks, 0.55, 1.0)[..., None]
    colour[table] = tint[table]
    normal[table] = (0, 1, 0)
    gloss[table] = 0.08
    for k, fruit in enumerate(FRUITS, start=1):
        here = label == k
        p = points[here]
        radii = np.array(fruit.radii)
        n = unit((p - np.array(fruit.centre)) / radii**2)
        bump = np.stack([noise(p, 14.0, 10 * k + j, 2) for j in range(3)], axis=-1)
        normal[here] = unit(n + 0.09 * fruit.bumps * bump)
        mix = np.clip(0.5 + 0.55 * noise(p, 1.3, 100 + k, 4), 0, 1)[..., None]
        speckle = 1 + 0.10 * noise(p, 24.0, 200 + k, 2)[..., None]
        colour[here] = (np.array(fruit.colour) * (1 - mix) + np.array(fruit.second) * mix) * speckle
        gloss[here] = fruit.gloss
    return colour, normal, gloss


def lit(points: Array, normal: Array) -> Array:
    """Return how much of the light each point sees, over samples of the lamp."""
    rng = np.random.default_rng(5)
    total = np.zeros(points.shape[:-1])
    start = points + 2e-3 * normal
    for _ in range(LIGHT_SAMPLES):
        lamp = LIGHT + LIGHT_SIZE * rng.uniform(-1, 1, 3) * np.array([1.0, 0.3, 1.0])
        to = unit(lamp - start)
        free = np.ones(points.shape[:-1], bool)
        for fruit in FRUITS:
            free &= ~np.isfinite(meet(start, to, fruit))
        total += free * np.maximum((normal * to).sum(-1), 0)
    return total / LIGHT_SAMPLES


def render() -> tuple[Array, Array]:
    """Return the photograph as bytes, and the label of each pixel (0 is table and wall)."""
    direction = rays()
    origin = np.broadcast_to(CAMERA, direction.shape)
    with np.errstate(divide="ignore"):
        floor = np.where(direction[..., 1] < 0, -CAMERA[1] / direction[..., 1], np.inf)
        back = (WALL - CAMERA[2]) / direction[..., 2]
    distance = np.minimum(floor, back)
    label = np.zeros(direction.shape[:2], int)
    for k, fruit in enumerate(FRUITS, start=1):
        found = meet(origin, direction, fruit)
        label[found < distance] = k
        distance = np.minimum(distance, found)
    points = origin + distance[..., None] * direction

    colour, normal, gloss = surfaces(points, label)
    bright = lit(points, normal)
    sky = 0.30 + 0.12 * normal[..., 1]
    # Darkness where a fruit stands on the table.
    for fruit in FRUITS:
        centre, size = np.array(fruit.centre), fruit.radii[0]
        away = np.hypot(points[..., 0] - centre[0], points[..., 2] - centre[2]) / size
        sky = np.where(label == 0, sky * (1 - 0.6 * np.exp(-(away**2) * 2.5)), sky)
    half = unit(unit(LIGHT - points) - direction)
    shine = np.maximum((half * normal).sum(-1), 0) ** 45 * gloss
    fall = (np.linalg.norm(LIGHT - TARGET) / np.linalg.norm(LIGHT - points, axis=-1)) ** 1.2
    warm = np.array([1.08, 1.0, 0.90])
    image = colour * (sky[..., None] + 0.95 * (bright * fall)[..., None] * warm)
    image += 0.55 * (shine * (bright > 0) * fall)[..., None]

    # The wall is out of focus; the lens darkens corners; the sensor adds noise.
    fine = (HEIGHT, SUPER, WIDTH, SUPER)
    far = gaussian_filter(image, (7, 7, 0))
    image = np.where((points[..., 2] > WALL - 1e-3)[..., None], far, image)
    image = gaussian_filter(image, (1.3, 1.3, 0))
    image = image.reshape(*fine, 3).mean(axis=(1, 3))
    y, x = np.mgrid[-1 : 1 : HEIGHT * 1j, -1 : 1 : WIDTH * 1j]
    image *= (1 - 0.16 * (x**2 + y**2))[..., None]
    image = np.clip(image, 0, None) ** (1 / 1.9)
    rng = np.random.default_rng(7)
    image += rng.normal(0, 0.014, image.shape) + rng.normal(0, 0.008, image.shape[:2])[..., None]
    centre = label.reshape(fine)[:, SUPER // 2, :, SUPER // 2]
    return (np.clip(image, 0, 1) * 255).round().astype(np.uint8), centre.astype(np.uint8)


def main() -> None:
    """Write sample.jpg and sample_mask.png."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    photograph, mask = render()
    Image.fromarray(photograph).save(FOLDER / "sample.jpg", quality=92)
    Image.fromarray(mask).save(FOLDER / "sample_mask.png", optimize=True)


if __name__ == "__main__":
    main()
