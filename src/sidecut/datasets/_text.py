"""Documents seen in several ways: languages, or parts of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sidecut._validation import Int, check_choice
from sidecut.datasets._errors import DatasetError
from sidecut.datasets._fetch import Home, find_file
from sidecut.datasets._files import need, read_npz

_FILES = {"reuters": "reuters1200", "bbc": "bbc4view", "bbcsport": "bbcsport"}
# The order in which the publisher lists them.
_VIEW_NAMES = {"reuters": ("English", "French", "German", "Spanish", "Italian")}


@dataclass(frozen=True, eq=False)
class Documents:
    """The same documents in several views.

    Attributes
    ----------
    name : str
    views : tuple of sparse arrays, each of shape (n_documents, n_words)
        Weights of words (tf-idf for Reuters).
    view_names : tuple of str
    y : array of int, shape (n_documents,)
        Topic, from 0.
    """

    name: str
    views: tuple[sparse.csr_array, ...]
    view_names: tuple[str, ...]
    y: Int


def load_documents(name: str, *, data_home: Home = None) -> Documents:
    """Load multi-view text.

    Parameters
    ----------
    name : {"reuters", "bbc", "bbcsport"}
        `"reuters"`: 1200 documents in five languages, six topics (a public sample of the paper's
        set, 2000 words a language). `"bbc"`: 685 news in four segments. `"bbcsport"`: 544 in two.
    data_home : path or None
        See `fetch`.
    """
    check_choice(name, "name", tuple(_FILES))
    path = find_file(f"multiview/{_FILES[name]}.npz", data_home=data_home)
    arrays = read_npz(path)
    need(path, arrays, ["y", "views"])
    y = np.unique(arrays["y"], return_inverse=True)[1]
    views = tuple(_view(path, arrays, str(view), len(y)) for view in arrays["views"])
    names = _VIEW_NAMES.get(name, tuple(f"view {k + 1}" for k in range(len(views))))
    return Documents(name, views, names, y.astype(np.intp))


def _view(path: Any, arrays: dict[str, Any], view: str, n_documents: int) -> sparse.csr_array:
    parts = [f"{view}_{part}" for part in ("data", "indices", "indptr", "shape")]
    need(path, arrays, parts)
    data, indices, indptr, shape = (arrays[part] for part in parts)
    try:
        matrix = sparse.csr_array((data, indices, indptr), tuple(shape), dtype=np.float64)
        matrix.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise DatasetError(f"{path}: {view} is no sparse matrix: {error}") from error
    if matrix.shape[0] != n_documents:
        raise DatasetError(f"{path}: {view} has {matrix.shape[0]} rows, {n_documents} expected")
    return matrix
