# SPDX-License-Identifier: Apache-2.0
"""Builds the compiled module and the web client; everything else is in pyproject.toml."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import Cython
from Cython.Build import cythonize  # pyright: ignore[reportUnknownVariableType]
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).parent.resolve()
WEB = ROOT / "src" / "mindscope" / "server" / "web"


def build_web_client() -> None:
    """Build ``ui/`` into the package. A source archive holds the result; MINDSCOPE_SKIP_UI=1 takes what is there."""
    is_source_archive = (ROOT / "PKG-INFO").exists()
    if os.environ.get("MINDSCOPE_SKIP_UI") == "1" or (is_source_archive and (WEB / "index.html").exists()):
        return
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is missing, it builds the web client: install Node.js 20 or newer (with npm) and try again")
    if not (ROOT / "ui" / "node_modules").exists():
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=ROOT / "ui", check=True)
    subprocess.run([npm, "run", "build"], cwd=ROOT / "ui", check=True)


class BuildPythonAndWeb(build_py):
    """``build_py`` that builds the page first."""

    def run(self) -> None:
        """Build the page, then collect the package's files."""
        if not self.editable_mode:
            build_web_client()
            self.data_files = self._get_data_files()
        super().run()


class ArchiveSourceAndWeb(sdist):
    """``sdist`` that builds the page first, so that a wheel can be built from the archive without Node."""

    def run(self) -> None:
        """Build the page, then collect the files that MANIFEST.in names."""
        build_web_client()
        super().run()


# Depending headers stand beside the module. Sums must not depend on whether the processor can multiply and add in one.
COMPILED = {
    "capture": ["_histogram", "_pixels", *(["_termination"] if sys.platform == "linux" else [])],
    "debug/logs": ["_line_heads", "_line_scan"],
    "formats": (
        "_decoding _encoding _event_batch _frames _message_columns _narrowing _pickle_memo _scalar_events _scan _schema"
    ).split(),
    "graph/compare": ["_matching"],
    "profile/timeline": ["_cells"],
    "profile/trace": ["_argument_columns", "_nesting", "_trace_events"],
    "stats": ["_fingerprint", "_m4", "_pyramid", "_smoothing", "_tensor_statistics", "_values", "_x_axis"],
    "threads": ["_released_wait"],
    "torch/debugging": ["_cuda_rows", "_nested_tensors", "_step_rows"],
    "trackers": ["_number_rows", "_table_cells"],
}


# CFLAGS may choose both. Python's own flags ask for debug information: seven eighths of the size, and a fifth of the
# time to compile.
CFLAGS = os.environ.get("CFLAGS", "").split()
OPTIMIZATION = [] if any(flag.startswith("-O") for flag in CFLAGS) else ["-O3"]
NO_DEBUG_INFORMATION = [] if "-g" in CFLAGS else ["-g0"]


def extension(folder: str, name: str) -> Extension:
    """The compiled module ``mindscope.<folder>.<name>``."""
    place = Path("src/mindscope") / folder
    return Extension(
        f"mindscope.{folder.replace('/', '.')}.{name}",
        [str(place / f"{name}.pyx")],
        depends=[str(header) for header in sorted([*place.glob("*.h"), *place.glob("*.pxd")])],
        include_dirs=[str(place)],
        libraries=["rt"] if name == "_termination" else [],  # where timers are before glibc 2.34
        extra_compile_args=[*OPTIMIZATION, "-ffp-contract=off", *NO_DEBUG_INFORMATION],
    )


MODULES = [extension(folder, name) for folder, names in COMPILED.items() for name in names]


def compilers() -> str:
    """Everything but the sources that decides what a compiled module is."""
    command = [*(os.environ.get("CC") or str(sysconfig.get_config_var("CC"))).split(), "--version"]
    compiler = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    flags = [os.environ.get(name, "") for name in ("CFLAGS", "CPPFLAGS", "LDFLAGS")]
    python = [sys.version, str(sysconfig.get_config_var("EXT_SUFFIX")), platform.platform()]
    return "\0".join([compiler, Cython.__version__, *flags, *python])


def kept_files(folder: Path) -> dict[str, Path]:
    """Where each compiled module is kept in ``folder``, by a hash of all that it depends on."""
    common = hashlib.sha256(compilers().encode())
    for header in sorted(path for end in ("*.pxd", "*.h") for path in Path("src").rglob(end)):
        common.update(header.as_posix().encode() + b"\0" + header.read_bytes())
    files: dict[str, Path] = {}
    for module in MODULES:
        key = common.copy()
        key.update(Path(module.sources[0]).read_bytes())
        key.update(repr([module.extra_compile_args, module.libraries]).encode())
        files[module.name] = folder / f"{module.name}.{key.hexdigest()}.so"
    return files


def copy(source: Path, target: Path) -> None:
    """Copy at once: another build may do the same."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    shutil.copyfile(source, part)
    part.replace(target)


class BuildMissing(build_ext):
    """``build_ext`` that compiles what is not kept, and keeps it."""

    def build_extension(self, ext: Extension) -> None:
        """Copy a kept module, or compile it and keep it."""
        built, kept = Path(self.get_ext_fullpath(ext.name)), KEPT.get(ext.name)
        if kept and ext in FOUND:
            copy(kept, built)
            return
        super().build_extension(ext)
        if kept:
            copy(built, kept)


CORES = os.cpu_count() or 1
CACHE = os.environ.get("MINDSCOPE_BUILD_CACHE")
KEPT = kept_files(Path(CACHE)) if CACHE else {}
FOUND = [module for module in MODULES if module.name in KEPT and KEPT[module.name].exists()]
MISSING = [module for module in MODULES if module not in FOUND]

setup(
    ext_modules=FOUND
    + cythonize(  # pyright: ignore[reportUnknownArgumentType]
        MISSING, build_dir="build/cython", nthreads=CORES
    ),
    cmdclass={"build_ext": BuildMissing, "build_py": BuildPythonAndWeb, "sdist": ArchiveSourceAndWeb},
    options={"build_ext": {"parallel": str(CORES)}},
)
