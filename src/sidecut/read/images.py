"""Photographs, and strokes drawn on them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sidecut._validation import Int
from sidecut.read.errors import InputError, check_file

if TYPE_CHECKING:
    from PIL.Image import Image

# The basis of a larger image would not fit the memory of most machines.
MAX_PIXELS = 4_000_000
# Smoothed or JPEG strokes have hundreds of colours; people draw a few.
MAX_COLOURS = 32


def read_image(path: Path) -> NDArray[Any]:
    """Return grey values (height, width) or colours (height, width, 3)."""
    with open_image(path) as image:
        # Pillow clips the 16-bit and float modes to 8 bits when it converts them.
        if image.mode.startswith(("I", "F")):
            return np.asarray(image, dtype=np.float64)
        grey = image.mode in ("1", "L", "LA")
        return np.asarray(image.convert("L" if grey else "RGB"))


def read_scribbles(path: Path, shape: tuple[int, ...]) -> Int:
    """Return a label for each pixel: 0 for no stroke, 1, 2, ... for each colour.

    Transparent pixels are no stroke. Where nothing is transparent, 0 (black) is no stroke.

    Parameters
    ----------
    path : Path
        The drawing.
    shape : tuple
        Of the photograph.
    """
    with open_image(path) as image:
        if (image.height, image.width) != shape[:2]:
            raise InputError(
                path,
                f"is {image.width} × {image.height} pixels, the photograph {shape[1]} × {shape[0]}",
            )
        values, stroke = _strokes(image)
    if not stroke.any():
        raise InputError(path, "has no strokes: every pixel is 0 or transparent")
    colours, codes = np.unique(values[stroke], axis=0, return_inverse=True)
    if len(colours) > MAX_COLOURS:
        raise InputError(
            path,
            f"has {len(colours)} colours, at most {MAX_COLOURS} are taken; draw strokes in flat "
            "colours without smoothing and save them as PNG",
        )
    labels = np.zeros(stroke.shape, np.intp)
    labels[stroke] = codes.ravel() + 1
    return labels


def _strokes(image: Image) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return values of shape (height, width, channels), and where there is a stroke."""
    if image.mode in ("P", "L", "1") and "transparency" not in image.info:
        values = np.asarray(image).astype(int)[:, :, None]
        return values, values[:, :, 0] != 0
    if image.mode.startswith("I"):
        values = np.asarray(image, dtype=np.int64)[:, :, None]
        return values, values[:, :, 0] != 0
    pixels = np.asarray(image.convert("RGBA")).astype(int)
    values, alpha = pixels[:, :, :3], pixels[:, :, 3]
    if (alpha < 255).any():
        return values, alpha == 255
    return values, (values != 0).any(axis=2)


def open_image(path: Path, max_pixels: int | None = None) -> Image:
    """Open a PNG or JPEG of moderate size, turned as its camera meant it."""
    max_pixels = MAX_PIXELS if max_pixels is None else max_pixels
    check_file(path)
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise ImportError("images need Pillow: pip install 'sidecut[image]'") from None
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            with Image.open(path, formats=("PNG", "JPEG")) as image:
                # The size is in the head of the file: nothing has been unpacked yet.
                if image.width * image.height > max_pixels:
                    raise InputError(
                        path,
                        f"is {image.width} × {image.height} pixels, at most {max_pixels} in all "
                        "are taken; make it smaller",
                    )
                image.load()
                return ImageOps.exif_transpose(image)
        except InputError:
            raise
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            raise InputError(path, f"is too large: {error}") from None
        except (OSError, ValueError, SyntaxError, EOFError) as error:
            text = (
                "is no PNG or JPEG" if "cannot identify" in str(error) else f"is damaged: {error}"
            )
            raise InputError(path, text) from None
