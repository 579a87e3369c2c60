"""Photographs of the Berkeley segmentation data set, what people saw in them, and scribbles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidecut._validation import check_choice
from sidecut.datasets._errors import DatasetError
from sidecut.datasets._fetch import Home, find_file
from sidecut.datasets._files import need, read_npz
from sidecut.datasets._registry import BSDS_IMAGES, SCRIBBLED_IMAGES


@dataclass(frozen=True, eq=False)
class Photograph:
    """A photograph and its human segmentations.

    Attributes
    ----------
    image_id : str
    image : array of uint8, shape (height, width, 3)
    segmentations : tuple of arrays of uint8, each of shape (height, width)
        One per person; regions are numbered from 1.
    """

    image_id: str
    image: NDArray[np.uint8]
    segmentations: tuple[NDArray[np.uint8], ...]


@dataclass(frozen=True, eq=False)
class Scribbles:
    """Strokes on a photograph and the true object.

    Attributes
    ----------
    image_id : str
    marks : array of uint8, shape (height, width)
        0 no stroke, 1 object, 2 background; as `Constraints.from_scribbles` takes it.
    mask : array of bool, shape (height, width)
        The object.
    known : array of bool, shape (height, width)
        False where the truth is undecided (a seam along some borders); leave these out of scores.
    """

    image_id: str
    marks: NDArray[np.uint8]
    mask: NDArray[np.bool_]
    known: NDArray[np.bool_]


def list_bsds() -> tuple[str, ...]:
    """Return the numbers of the photographs that `load_bsds` knows.

    Examples
    --------
    >>> from sidecut.datasets import list_bsds
    >>> "296059" in list_bsds()
    True
    """
    return BSDS_IMAGES


def list_scribbles() -> tuple[str, ...]:
    """Return the numbers of the photographs that have scribbles.

    Examples
    --------
    >>> from sidecut.datasets import list_scribbles
    >>> len(list_scribbles())
    10
    """
    return SCRIBBLED_IMAGES


def load_bsds(image_id: str | int, *, data_home: Home = None) -> Photograph:
    """Load a BSDS500 photograph with its human segmentations (needs Pillow).

    Parameters
    ----------
    image_id : str or int
        One of `list_bsds()`; 296059 are the paper's elephants, 189080 its man with the hat.
    data_home : path or None
        See `fetch`.
    """
    number = check_choice(str(image_id), "image_id", BSDS_IMAGES)
    picture = find_file(f"bsds/{number}.jpg", data_home=data_home)
    path = find_file(f"bsds/{number}_gt.npz", data_home=data_home)
    image, people = _read_image(picture), read_npz(path)
    need(path, people, ["seg0"])
    segmentations = tuple(people[f"seg{k}"] for k in range(len(people)))
    for segmentation in segmentations:
        if segmentation.shape != image.shape[:2]:
            raise DatasetError(
                f"{path} has shape {segmentation.shape}, the photograph {image.shape[:2]}"
            )
    return Photograph(number, image, segmentations)


def load_scribbles(
    image_id: str | int,
    set: int = 1,  # the data set's own word
    *,
    data_home: Home = None,
) -> Scribbles:
    """Load the scribbles on a BSDS photograph and the object they mean.

    Parameters
    ----------
    image_id : str or int
        One of `list_scribbles()`.
    set : {1, 2}
        Few short strokes (1), or strokes that follow the object (2).
    data_home : path or None
        See `fetch`.
    """
    number = check_choice(str(image_id), "image_id", SCRIBBLED_IMAGES)
    if set not in (1, 2):
        raise ValueError(f"set must be 1 or 2, got {set!r}")
    path = find_file(f"iseg/{number}.npz", data_home=data_home)
    arrays = read_npz(path)
    need(path, arrays, ["gt", f"scribble{set}"])
    truth = arrays["gt"]
    return Scribbles(number, arrays[f"scribble{set}"], truth == 255, truth != 128)


def _read_image(path: Any) -> NDArray[np.uint8]:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise DatasetError("photographs need Pillow: pip install 'sidecut[data]'") from error
    try:
        with Image.open(path) as picture:
            return np.asarray(picture.convert("RGB"))
    except (UnidentifiedImageError, OSError) as error:
        raise DatasetError(f"{path} is no readable image") from error
