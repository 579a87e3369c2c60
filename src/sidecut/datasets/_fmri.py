"""Resting-state fMRI: series of brain regions, and which regions the default mode network has."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sidecut._validation import Float, check_choice
from sidecut.datasets._errors import DatasetError
from sidecut.datasets._fetch import Home, find_file
from sidecut.datasets._files import column, need, read_csv, read_npz
from sidecut.datasets._registry import ABIDE_SITES


@dataclass(frozen=True, eq=False)
class Scan:
    """One scan of one person.

    Attributes
    ----------
    subject : str
    session : int
        1, or 2 for a second scan.
    group : str
        `"ASD"`, `"control"` or `"first-episode psychosis"`.
    series : array of shape (n_times, n_regions)
        Signal of every region.
    motion : float
        Mean framewise displacement in mm; nan where it is not known.
    """

    subject: str
    session: int
    group: str
    series: Float
    motion: float


@dataclass(frozen=True, eq=False)
class BrainScans:
    """Scans and their regions.

    Attributes
    ----------
    name : str
    scans : tuple of Scan
    network : array of str, shape (n_regions,)
        The Yeo-7 network of each region (`"none"` outside the cortex).
    default_mode : array of shape (n_regions,)
        Share of each region inside the default mode network, 0 to 1 (0 or 1 for STAGES, whose
        regions are made to lie in one network).
    centres : array of shape (n_regions, 3)
        MNI coordinates in mm.
    """

    name: str
    scans: tuple[Scan, ...]
    network: NDArray[np.str_]
    default_mode: Float
    centres: Float


def load_abide(site: str | None = None, *, data_home: Home = None) -> BrainScans:
    """Load ABIDE I scans of persons with autism and controls, one each, 200 regions (CC200).

    Parameters
    ----------
    site : {"kki", "ohsu"} or None
        Where they were recorded; None for both.
    data_home : path or None
        See `fetch`.
    """
    sites = ABIDE_SITES if site is None else (check_choice(site, "site", ABIDE_SITES),)
    people = find_file("fmri/abide_cc200_subjects.csv", data_home=data_home)
    regions = find_file("fmri/cc200_rois_yeo7.csv", data_home=data_home)
    header, rows = read_csv(people)
    names = column(people, header, rows, "file_id")
    groups = dict(zip(names, column(people, header, rows, "dx"), strict=True))
    motion = dict(zip(names, column(people, header, rows, "mean_fd"), strict=True))
    scans = []
    for place in sites:
        path = find_file(f"fmri/abide_cc200_{place}.npz", data_home=data_home)
        for subject, series in read_npz(path).items():
            if subject not in groups:
                raise DatasetError(f"{people} does not list {subject}")
            scans.append(Scan(subject, 1, groups[subject], _series(series), float(motion[subject])))
    return _with_regions("abide", scans, regions, "frac_Default")


def load_stages(*, data_home: Home = None) -> BrainScans:
    """Load two scans, three months apart, of 14 persons; 300 regions (Schaefer).

    Parameters
    ----------
    data_home : path or None
        See `fetch`.
    """
    path = find_file("fmri/stages_fep_schaefer300.npz", data_home=data_home)
    people = find_file("fmri/stages_fep_subjects.csv", data_home=data_home)
    regions = find_file("fmri/schaefer300_yeo7.csv", data_home=data_home)
    header, rows = read_csv(people)
    arrays = read_npz(path)
    scans = []
    subjects = column(people, header, rows, "subject")
    for subject, group in zip(subjects, column(people, header, rows, "dx"), strict=True):
        keys = [f"{subject}_ses{session}" for session in (1, 2)]
        need(path, arrays, keys)
        scans += [
            Scan(subject, session, group, _series(arrays[key].T), np.nan)
            for session, key in enumerate(keys, start=1)
        ]
    return _with_regions("stages", scans, regions, None)


def _series(values: NDArray[np.float32]) -> Float:
    return np.asarray(values, dtype=np.float64)


def _with_regions(name: str, scans: list[Scan], path: Path, share: str | None) -> BrainScans:
    header, rows = read_csv(path)
    network = np.array(column(path, header, rows, "yeo7"))
    default = network == "Default"
    inside = column(path, header, rows, share) if share else default
    centres = [[float(cell) for cell in column(path, header, rows, axis)] for axis in "xyz"]
    for scan in scans:
        if scan.series.shape[1] != len(network):
            raise DatasetError(
                f"{path} has {len(network)} regions, the scan of {scan.subject} "
                f"{scan.series.shape[1]}"
            )
    return BrainScans(
        name, tuple(scans), network, np.array(inside, dtype=np.float64), np.array(centres).T
    )
