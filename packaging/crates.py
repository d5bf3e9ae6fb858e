"""The crates that are linked into the library or the Python module, as cargo resolves them."""

import json
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Crate:
    """A package, with what `cargo metadata` and Cargo.lock say of it."""

    name: str
    version: str
    licence: str
    authors: list[str]
    folder: Path
    sha256: str | None
    repository: str | None
    needs: set[tuple[str, str]] = field(default_factory=set)

    @property
    def purl(self) -> str:
        return f"pkg:cargo/{self.name}@{self.version}"

    @property
    def is_ours(self) -> bool:
        return ROOT in (self.folder, *self.folder.parents)


def cargo(*arguments: str) -> str:
    command = ["cargo", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def checksums() -> dict[tuple[str, str], str]:
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    return {(p["name"], p["version"]): p["checksum"] for p in packages if "checksum" in p}


def described(package: dict, sums: dict) -> Crate:
    key = (package["name"], package["version"])
    # The slash of old manifests means "or".
    licence = (package["license"] or "").replace("/", " OR ")
    return Crate(*key, licence, package["authors"], Path(package["manifest_path"]).parent, sums.get(key), package["repository"])


def linked(package: str, triple: str) -> dict[tuple[str, str], Crate]:
    """By name and version: the crate itself and all that ends up in its machine code: no macros, build scripts or tests."""
    sums = checksums()
    packages = json.loads(cargo("metadata", "--locked", "--format-version=1", f"--filter-platform={triple}"))["packages"]
    known = {(p["name"], p["version"]): described(p, sums) for p in packages}
    # Unlike metadata, the tree knows which features this one package asks for.
    tree = cargo(
        "tree", "--locked", "--package", package, "--target", triple, "--edges", "normal,no-proc-macro", "--no-dedupe",
        "--prefix", "depth", "--format", " {p}",
    )
    found: dict[tuple[str, str], Crate] = {}
    path: list[Crate] = []
    for line in tree.splitlines():
        depth, name, version, *_ = line.split()
        crate = known[name, version.removeprefix("v")]
        del path[int(depth):]
        if path:
            path[-1].needs.add((crate.name, crate.version))
        path.append(crate)
        found[crate.name, crate.version] = crate
    return dict(sorted(found.items()))
