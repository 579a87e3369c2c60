"""Problems with a known answer: generators, and loaders of public data sets.

A loader looks in `data_home` (the argument, else the environment variable SIDECUT_DATA, else the
user's cache folder) and checks what it finds. What is absent is downloaded with pooch (extra
`data`), where that is possible: hepatitis, glass, ionosphere, bsds, reuters, bbc and bbcsport.
Iris, wine and wdbc come with scikit-learn. The others are read from a folder of the same layout
only; `list_datasets` says why. Results are frozen dataclasses.
"""

from sidecut.datasets._errors import DatasetError
from sidecut.datasets._fetch import DatasetInfo, fetch, list_datasets
from sidecut.datasets._fmri import BrainScans, Scan, load_abide, load_stages
from sidecut.datasets._generators import noisy_moons, six_node_graph, sparse_moons, two_moons
from sidecut.datasets._graphs import GRAPH_NAMES, Digits, Network, load_graph, load_usps
from sidecut.datasets._home import find_home
from sidecut.datasets._images import (
    Photograph,
    Scribbles,
    list_bsds,
    list_scribbles,
    load_bsds,
    load_scribbles,
)
from sidecut.datasets._text import Documents, load_documents
from sidecut.datasets._uci import UCI_NAMES, Table, load_uci

__all__ = [
    "GRAPH_NAMES",
    "UCI_NAMES",
    "BrainScans",
    "DatasetError",
    "DatasetInfo",
    "Digits",
    "Documents",
    "Network",
    "Photograph",
    "Scan",
    "Scribbles",
    "Table",
    "fetch",
    "find_home",
    "list_bsds",
    "list_datasets",
    "list_scribbles",
    "load_abide",
    "load_bsds",
    "load_documents",
    "load_graph",
    "load_scribbles",
    "load_stages",
    "load_uci",
    "load_usps",
    "noisy_moons",
    "six_node_graph",
    "sparse_moons",
    "two_moons",
]
