# SPDX-License-Identifier: Apache-2.0
"""A real Jupyter server with jupyter-server-proxy, as pip installs mindscope beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.server.live_viewer import DEADLINE_S, eventually, free_port

ROOT = Path(__file__).parents[2]
GROUP = "jupyter_serverproxy_servers"
BASE = "/user/ann/"
"""As JupyterHub gives each user."""


def entry_points() -> str:
    """The lines of pyproject.toml that pip installs as entry points of jupyter-server-proxy."""
    _, _, rest = (ROOT / "pyproject.toml").read_text("utf-8").partition(f"[project.entry-points.{GROUP}]\n")
    return rest.partition("\n\n")[0].replace('"', "")


@contextmanager
def jupyter(room: Path) -> Generator[str]:
    """Run a Jupyter server over ``room``; yields its address, with the path of a user of JupyterHub."""
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ip=127.0.0.1"]
    command += [f"--ServerApp.base_url={BASE}", "--IdentityProvider.token=", "--ServerApp.password="]
    command += [f"--ServerApp.root_dir={room}", "--ServerApp.port_retries=0", "--LabApp.extension_manager=readonly"]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.news_url="]
    with (room / "jupyter.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=room, env=_environment(room), stdout=log, stderr=log)
        address = f"http://127.0.0.1:{port}{BASE}"
        try:
            eventually(lambda: process.poll() is not None or _answers(f"{address}api"))
            assert process.poll() is None, (room / "jupyter.log").read_text()
            yield address
        finally:
            process.terminate()
            process.wait(DEADLINE_S)


def _environment(room: Path) -> dict[str, str]:
    """The environment of a server that finds mindscope's entry point, and keeps all its files in ``room``."""
    info = room / "site" / "mindscope-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mindscope\nVersion: 0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{entry_points()}\n")
    folders = {name: str(room / name) for name in ("state", "workspace", "config", "data", "runtime", "ipython")}
    return os.environ | {
        "PYTHONPATH": os.pathsep.join([str(info.parent), str(ROOT / "src")]),
        "XDG_STATE_HOME": folders["state"],
        "MINDSCOPE_WORKSPACE": folders["workspace"],
        "JUPYTER_CONFIG_DIR": folders["config"],
        "JUPYTER_DATA_DIR": folders["data"],
        "JUPYTER_RUNTIME_DIR": folders["runtime"],
        "IPYTHONDIR": folders["ipython"],
    }


def _answers(address: str) -> bool:
    try:
        return httpx.get(address).is_success
    except httpx.TransportError:
        return False
