"""The data sets that the loaders know: files, origin, licence, and whether they can be fetched.

Some files are kept in another form than their public original. Where the original is a csv, a
MATLAB file or a photograph, the library downloads and converts it. Where it is something else, the
file can only be read from a folder of the same layout, and `why_not` says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sidecut.datasets._checksums import FILE_SHA256

RAW = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class Original:
    """A public file. `places` are its possible paths in the repository, tried in order."""

    repository: str
    commit: str
    places: tuple[str, ...]
    converter: str

    @property
    def addresses(self) -> list[str]:
        """Where to download it."""
        return [f"{RAW}/{self.repository}/{self.commit}/{place}" for place in self.places]


@dataclass(frozen=True)
class Entry:
    """One data set: its files (paths under the data folder), in words, and their originals."""

    name: str
    title: str
    files: tuple[str, ...]
    source: str
    licence: str
    originals: dict[str, Original]
    why_not: str = ""


BSDS_IMAGES = tuple(
    sorted(
        (path[5:-4] for path in FILE_SHA256 if path.startswith("bsds/") and path.endswith(".jpg")),
        key=int,
    )
)
SCRIBBLED_IMAGES = tuple(
    sorted((path[5:-4] for path in FILE_SHA256 if path.startswith("iseg/")), key=int)
)
ABIDE_SITES = ("kki", "ohsu")

_BROWNLEE = ("jbrownlee/Datasets", "d20fcb6402ae34e653d4513b00f39257bb37ed7f")
_GLASS = ("jbrownlee/Datasets", "7d5f1251b7b43fcd2b8a919e13dd53dceb94a582")
_HEPATITIS = ("nom-gv/DatasetHepatitis", "3218016e2058acf17290efc84c96bc5eb187f92d")
_CHUANBIN = ("ChuanbinZhang/Multi-view-datasets", "03ead31e6538322e4e0701c3c28a01595c1a015d")
_LIANG = ("youweiliang/Multi-view_Graph_Learning", "0920aa38676fd7b6953a6de1632d8e508bb3bbcd")
_KONG = ("zskong/Multi-view-data", "7e06a445cc6867cf1c6574b0d49e461eceac404a")
_BSDS = ("BIDS/BSDS500", "a04b7c6c3a9f0ace74bf205c72a43d32e1c72722")
_PLANETOID = "kimiyoung/planetoid@af6abf46, data/ind.{}.*"


def _entries() -> Iterator[Entry]:
    uci = "UCI machine learning repository"
    for name, title, where, place, converter in (
        ("hepatitis", "UCI hepatitis", _HEPATITIS, "hepatitis.data", "hepatitis"),
        ("glass", "UCI glass identification", _GLASS, "glass.csv", "glass"),
        ("ionosphere", "UCI ionosphere", _BROWNLEE, "ionosphere.csv", "ionosphere"),
    ):
        path = f"uci/{name}.csv"
        original = {path: Original(*where, (place,), converter)}
        source = f"{uci}, copy of {where[0]}@{where[1][:8]}"
        yield Entry(name, title, (path,), source, "none stated by the copy", original)
    for name, title in (("iris", "iris"), ("wine", "wine"), ("wdbc", "breast cancer (diagnostic)")):
        yield Entry(name, f"UCI {title}", (), "part of scikit-learn", "BSD-3", {})

    pictures, originals = [], {}
    for image in BSDS_IMAGES:
        for path, kind, converter in (
            (f"bsds/{image}.jpg", "images/{}/{}.jpg", "copy"),
            (f"bsds/{image}_gt.npz", "groundTruth/{}/{}.mat", "bsds_segmentations"),
        ):
            # Which of the three parts holds an image is not recorded here.
            parts = ("train", "val", "test")
            places = tuple("BSDS500/data/" + kind.format(part, image) for part in parts)
            pictures.append(path)
            originals[path] = Original(*_BSDS, places, converter)
    yield Entry(
        "bsds",
        "BSDS500 photographs with human segmentations",
        tuple(pictures),
        "BIDS/BSDS500@a04b7c6c",
        "non-commercial research and education",
        originals,
    )
    yield Entry(
        "scribbles",
        "scribbles and masks for BSDS photographs",
        tuple(f"iseg/{image}.npz" for image in SCRIBBLED_IMAGES),
        "flandrade/dataset-interactive-algorithms@dc6bd3de",
        "none stated",
        {},
        "the colours of its original pictures are not documented",
    )
    for name, file, title, where, place in (
        ("reuters", "reuters1200", "Reuters in five languages", _CHUANBIN, "Reuters-1200.mat"),
        ("bbcsport", "bbcsport", "BBC sport news, two views", _LIANG, "data/BBCSport.mat"),
        ("bbc", "bbc4view", "BBC news, four views", _KONG, "data/BBC4view_685.mat"),
    ):
        path = f"multiview/{file}.npz"
        original = {path: Original(*where, (place,), "views")}
        yield Entry(name, title, (path,), f"{where[0]}@{where[1][:8]}", "none stated", original)
    yield Entry(
        "abide",
        "ABIDE I resting-state fMRI, 200 regions (CC200), sites KKI and OHSU",
        (
            *(f"fmri/abide_cc200_{site}.npz" for site in ABIDE_SITES),
            "fmri/abide_cc200_subjects.csv",
            "fmri/cc200_rois_yeo7.csv",
        ),
        "elizabethszent/abide-sex-age-connectomics@d8692365; regions: stfxecutables/ABIDE-eig",
        "ABIDE terms, non-commercial research",
        {},
        "the overlap of its regions with the networks was computed from two brain atlases",
    )
    yield Entry(
        "stages",
        "STAGES first-episode psychosis, two scans a person, 300 regions (Schaefer)",
        (
            "fmri/stages_fep_schaefer300.npz",
            "fmri/stages_fep_subjects.csv",
            "fmri/schaefer300_yeo7.csv",
        ),
        "izachp/psychosis-FC-prediction@411a2cad; regions: ThomasYeoLab/CBIG",
        "Apache-2.0; regions MIT",
        {},
        "its series are a selection from a larger set of text files",
    )
    yield Entry(
        "usps",
        "USPS handwritten digits",
        ("digits/usps.npz",),
        "niuers/Learning-From-Data-A-Short-Course@879a698b, data/usps.h5",
        "none stated",
        {},
        "its original is an HDF5 file",
    )
    for name, title in (("cora", "Cora"), ("citeseer", "CiteSeer"), ("pubmed", "PubMed")):
        source = _PLANETOID.format(name)
        why = "its original is a pickle, which can run code when it is opened"
        yield Entry(name, f"{title} citation graph", (f"graph/{name}.npz",), source, "MIT", {}, why)
    yield Entry(
        "facebook",
        "Facebook page-page graph",
        ("graph/facebook.npz",),
        "benedekrozemberczki/karateclub@cb46a91d, dataset/node_level/facebook",
        "GPL-3.0",
        {},
        "the order in which its classes were numbered is not documented",
    )


REGISTRY = {entry.name: entry for entry in _entries()}
ORIGINALS = {path: o for entry in REGISTRY.values() for path, o in entry.originals.items()}
WHY_NOT = {path: entry.why_not for entry in REGISTRY.values() for path in entry.files}
