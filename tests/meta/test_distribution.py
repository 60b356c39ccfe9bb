# SPDX-License-Identifier: Apache-2.0
"""The source archive and the wheel: what they hold, and that the wheel serves the page without compiler and Node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path, PurePosixPath
from re import findall

import httpx
import pytest
from packaging.requirements import Requirement

import mindscope
from tests.server.live_viewer import DEADLINE_S, eventually, free_port

ROOT = Path(__file__).parents[2]
NAME = f"mindscope-{mindscope.__version__}"
RECORDING = """
import mindscope
with mindscope.SummaryRecord("logs/first") as record:
    record.add_value("scalar", "loss", 0.5)
    record.record(1)
"""


def sources(*places: str) -> set[str]:
    """Files of the source tree below ``places``, without what git ignores."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *places]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name for name in names if (ROOT / name).is_file()}


def page() -> set[str]:
    """Files of the built page, which git ignores."""
    (index,) = (ROOT / "src").glob("mindscope/**/web/index.html")
    return {path.relative_to(ROOT).as_posix() for path in index.parent.rglob("*") if path.is_file()}


def building() -> dict[str, str]:
    """An environment to build in; compiled modules are kept from run to run."""
    return {"MINDSCOPE_BUILD_CACHE": str(ROOT / "build" / "modules"), **os.environ}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive with the page as it is built; the tests of the browser need it, too."""
    out = tmp_path_factory.mktemp("archive")
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, env={**os.environ, "MINDSCOPE_SKIP_UI": "1"}, check=True, capture_output=True)
    return out / f"{NAME}.tar.gz"


@pytest.fixture(scope="module")
def wheel(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel from the source archive, offline, where npm fails; compiled modules come from the build before."""
    out = tmp_path_factory.mktemp("wheel")
    with tarfile.open(archive) as file:
        file.extractall(out, filter="fully_trusted")
    npm = out / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text("#!/bin/sh\nexit 1\n")
    npm.chmod(0o755)
    environment = {**building(), "PATH": f"{npm.parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("MINDSCOPE_SKIP_UI", None)
    command = [sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*command, "--wheel-dir", str(out), str(out / NAME)], env=environment, check=True, capture_output=True
    )
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and the packages that it requires, and no others."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place)
    command = [sys.executable, "-m", "pip", "--python", str(place), "install", "--no-index", "--no-deps", str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    (site,) = place.glob("lib/python*/site-packages")
    (own,) = distributions(path=[str(site)])
    for dependency in required(own.requires or ()):
        link(dependency, site)
    return place


def required(requirements: Iterable[str]) -> Iterator[Distribution]:
    """The distributions of this environment that ``requirements`` name, and those that they require in turn."""
    pending = [(Requirement(line), "") for line in requirements]
    done: set[tuple[str, str]] = set()
    while pending:
        requirement, extra = pending.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        found = distribution(requirement.name)
        yield found
        for wanted in {(found.name, each) for each in ("", *requirement.extras)} - done:
            done.add(wanted)
            pending += [(Requirement(line), wanted[1]) for line in found.requires or ()]


def link(dependency: Distribution, site: Path) -> None:
    """Show the modules of a distribution in another environment."""
    for top in {file.parts[0] for file in dependency.files or ()} - {"..", "__pycache__"}:
        if not (site / top).exists():
            (site / top).symlink_to(Path(str(dependency.locate_file(top))))


def test_the_archive_holds_the_sources_and_the_page(archive: Path):
    with tarfile.open(archive) as file:
        got = {PurePosixPath(member.name).relative_to(NAME) for member in file if member.isfile()}
    made = {path for path in got if path.parts[:2] == ("src", "mindscope.egg-info")}
    root = sources("*.toml", "*.in", ":(glob)*.md", "setup.py", "LICENSE")
    want = sources("src", "ui") | page() | {name for name in root if "/" not in name} | {"PKG-INFO", "setup.cfg"}
    assert sorted(map(str, got - made)) == sorted(want)


def test_only_changed_modules_are_compiled(wheel: Path, tmp_path: Path):
    tree = tmp_path / "tree"
    shutil.copytree(wheel.parent / NAME, tree, ignore=shutil.ignore_patterns("*.so", "build", "web"))
    kept = Path(building()["MINDSCOPE_BUILD_CACHE"])
    cache = tmp_path / "cache"
    shutil.copytree(kept, cache)
    before = {*cache.iterdir()}
    changed = tree / "src/mindscope/stats/_fingerprint.pyx"
    changed.write_text(changed.read_text("utf-8") + "\nCHANGED = True\n", "utf-8")
    environment = {**building(), "MINDSCOPE_BUILD_CACHE": str(cache)}
    command = [sys.executable, "setup.py", "build_ext", "--inplace"]
    subprocess.run(command, cwd=tree, env=environment, check=True, capture_output=True)
    (compiled,) = {*cache.iterdir()} - before
    assert compiled.name.startswith("mindscope.stats._fingerprint.")
    assert len([*(tree / "src").rglob("*.so")]) == len([*tree.rglob("*.pyx")])
    look = "from mindscope.stats import _fingerprint; print(_fingerprint.CHANGED, _fingerprint.__file__)"
    at = {**os.environ, "PYTHONPATH": str(tree / "src")}
    done = subprocess.run([sys.executable, "-c", look], env=at, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", str(next((tree / "src").rglob("_fingerprint*.so")))]


def test_the_wheel_holds_modules_and_the_page(wheel: Path):
    with zipfile.ZipFile(wheel) as file:
        got = {name for name in file.namelist() if not name.startswith(f"{NAME}.dist-info/")}
        index = next(name for name in got if name.endswith("/web/index.html"))
        loaded = findall(r'(?:src|href)="\./([^"]+)"', file.read(index).decode())
    package = sources("src")
    modules = {name for name in package if name.endswith((".py", ".pyi", ".typed", ".cu", ".json"))}
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    compiled = {name.removesuffix(".pyx") + suffix for name in package if name.endswith(".pyx")}
    assert sorted(got) == sorted(name.removeprefix("src/") for name in modules | compiled | page())
    assert loaded
    assert {index.removesuffix("index.html") + name for name in loaded} <= got


def test_the_wheel_holds_the_licenses_of_what_the_page_is_built_from(wheel: Path):
    with zipfile.ZipFile(wheel) as file:
        (notice,) = [name for name in file.namelist() if name.endswith("/web/licenses.md")]
        text = file.read(notice).decode()
        assert file.read(f"{NAME}.dist-info/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    packages = {*json.loads((ROOT / "ui" / "package.json").read_text("utf-8"))["dependencies"], "svelte"}
    for package in packages:
        license_file = min((ROOT / "ui" / "node_modules" / package).glob("LICENSE*"))
        assert f"## {package} - " in text
        assert license_file.read_text("utf-8").strip() in text, package


def test_the_installed_wheel_serves_the_page(installed: Path, tmp_path: Path):
    environment = {"PATH": str(installed / "bin"), "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}

    def run(command: str, *arguments: str) -> None:
        done = subprocess.run(
            [installed / "bin" / command, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr

    port = str(free_port())
    run("python", "-c", RECORDING)
    run("mindscope", "start", "--port", port, "--summary-base-dir", "logs")
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=DEADLINE_S) as http:
            shown = http.get("/").raise_for_status()
            assert shown.headers["content-type"].startswith("text/html")
            for address in findall(r'(?:src|href)="(/[^"]+)"', shown.text):
                assert http.get(address).raise_for_status().content
            (found,) = eventually(lambda: http.get("/api/runs").raise_for_status().json()["runs"])
            assert found["id"] == "first"
    finally:
        run("mindscope", "stop", "--port", port)


def test_the_version_is_stated_once():
    assert "version" not in json.loads((ROOT / "ui" / "package.json").read_text("utf-8"))
    lock = json.loads((ROOT / "ui" / "package-lock.json").read_text("utf-8"))
    assert "version" not in lock
    assert "version" not in lock["packages"][""]
    stated = [name for name in sources("*.py", "*.toml", "*.cfg", "*.in") if mindscope.__version__ in quoted(name)]
    assert stated == ["src/mindscope/_version.py"]


def quoted(name: str) -> list[str]:
    """Texts in quotes in a file of the source tree."""
    return findall(r"""["']([^"'\n]*)["']""", (ROOT / name).read_text("utf-8"))
