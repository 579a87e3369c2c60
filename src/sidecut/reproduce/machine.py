"""Where and with what results were made; no paths, no names of persons."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import sidecut
from sidecut.bench.results import cpu_model, usable_cores, write_whole

PACKAGES = ("numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Machine:
    """Cores, processor and versions."""

    cores: int
    processor: str
    system: str
    versions: dict[str, str]

    @classmethod
    def here(cls) -> Machine:
        """Describe this machine."""
        versions = {"sidecut": sidecut.__version__, "Python": platform.python_version()}
        versions |= {name: version(name) for name in PACKAGES}
        return cls(usable_cores(), cpu_model(), platform.system(), versions)

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return f"{self.cores} cores, {self.processor}, {self.system}; {listed}"


def check_same_versions(folder: Path, machine: Machine) -> None:
    """Refuse to go on from records that other versions made; note the versions in a new folder.

    Raises
    ------
    ValueError
        When the folder names other versions.
    """
    path = folder / "machine.json"
    if not path.exists():
        write_whole(path, json.dumps(asdict(machine), indent=2) + "\n")
        return
    try:
        there = json.loads(path.read_text(encoding="utf-8"))["versions"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path} is no description of a machine; remove {folder}") from None
    if there != machine.versions:
        changed = [name for name, number in machine.versions.items() if there.get(name) != number]
        raise ValueError(
            f"{folder} holds results of other versions ({', '.join(changed)}); name another output "
            "or use --fresh to replace them"
        )
