# SPDX-License-Identifier: Apache-2.0
"""Builds the compiled module and the web client; everything else is in pyproject.toml."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent.resolve()
WEB = ROOT / "src" / "mindscope" / "server" / "web"


def build_web_client() -> None:
    """Build ``ui/`` into the package, unless a source archive already brought the result."""
    if not (ROOT / "ui" / "package.json").exists():
        if (WEB / "index.html").exists():
            return
        sys.exit("the web client is neither built nor here as source (ui/): get a complete clone or archive")
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is missing, it builds the web client: install Node.js 20 or newer (with npm) and try again")
    if not (ROOT / "ui" / "node_modules").exists():
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=ROOT / "ui", check=True)
    subprocess.run([npm, "run", "build"], cwd=ROOT / "ui", check=True)


class BuildPythonAndWeb(build_py):
    """``build_py`` that builds the page first. MINDSCOPE_SKIP_UI=1 leaves it out (for work on the Python side only)."""

    def run(self) -> None:
        """Build the page, then collect the package's files."""
        if os.environ.get("MINDSCOPE_SKIP_UI") != "1" and not self.editable_mode:
            build_web_client()
            self.data_files = self._get_data_files()
        super().run()


# Depending headers stand beside the module. Sums must not depend on whether the processor can multiply and add in one.
COMPILED = {
    "capture": ["_histogram", "_pixels", "_termination"],
    "formats": ["_decoding", "_encoding", "_frames", "_scalar_events", "_scan", "_schema"],
    "stats": ["_abscissa", "_fingerprint", "_m4", "_pyramid", "_smoothing", "_values"],
}


# Python's own flags ask for debug information: seven eighths of the size, and a fifth of the time to compile
NO_DEBUG_INFORMATION = [] if "-g" in os.environ.get("CFLAGS", "").split() else ["-g0"]


def extension(folder: str, name: str) -> Extension:
    """The compiled module ``mindscope.<folder>.<name>``."""
    place = Path("src/mindscope") / folder
    return Extension(
        f"mindscope.{folder}.{name}",
        [str(place / f"{name}.pyx")],
        depends=[str(header) for header in sorted([*place.glob("*.h"), *place.glob("*.pxd")])],
        include_dirs=[str(place)],
        libraries=["rt"] if name == "_termination" else [],  # where timers are before glibc 2.34
        extra_compile_args=["-O3", "-ffp-contract=off", *NO_DEBUG_INFORMATION],
    )


MODULES = [extension(folder, name) for folder, names in COMPILED.items() for name in names]

CORES = os.cpu_count() or 1

setup(
    ext_modules=cythonize(MODULES, build_dir="build/cython", nthreads=CORES),
    cmdclass={"build_py": BuildPythonAndWeb},
    options={"build_ext": {"parallel": CORES}},
)
