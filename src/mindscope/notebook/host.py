# SPDX-License-Identifier: Apache-2.0
"""Which program shows the notebook, and at which address its browser reaches a port of this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

LOCAL_FRAMES = ("http://localhost:*", "http://127.0.0.1:*", "vscode-webview:", "vscode-file:")
"""Pages of this machine."""
VSCODE_FRAMES = (
    "vscode-webview:",
    "vscode-file:",
    "https://vscode.dev",
    "https://*.vscode-cdn.net",
    "https://*.github.dev",
)
COLAB_FRAMES = ("https://colab.research.google.com", "https://*.googleusercontent.com")


@dataclass(frozen=True, slots=True)
class NotebookHost:
    """``address`` leads to a port of this machine, which ``{port}`` stands for; Colab finds it in the browser."""

    address: str
    frame_sources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Hosts under which the browser knows the viewer, beside those of this machine."""
    is_colab: bool = False
    is_marimo: bool = False


def notebook_host(environ: Mapping[str, str] | None = None) -> NotebookHost | None:
    """Return what shows the notebook of this process; None if this is no notebook.

    ``environ`` defaults to the environment of the process.
    """
    environ = os.environ if environ is None else environ
    if _in_marimo():
        return NotebookHost("http://localhost:{port}/", LOCAL_FRAMES, is_marimo=True)
    if not _in_kernel():
        return None
    if "google.colab" in sys.modules:
        return NotebookHost("", COLAB_FRAMES, is_colab=True)
    base_url = _jupyter_base_url(environ)
    if base_url is not None and find_spec("jupyter_server_proxy") is not None:
        public = urlsplit(environ.get("JUPYTERHUB_PUBLIC_URL", "")).netloc
        return NotebookHost(f"{base_url}proxy/{{port}}/", (), (public,) if public else ())
    vscode = environ.get("VSCODE_PROXY_URI", "")
    if "{{port}}" in vscode:
        return _behind(vscode.replace("{{port}}", "{port}"))
    return NotebookHost("http://localhost:{port}/", LOCAL_FRAMES)


def _behind(address: str) -> NotebookHost:
    """Return the host of VS Code in a browser, whose proxy has the address of the editor, or a host for each port."""
    scheme, host, *_ = urlsplit(address)
    is_fixed = "{port}" not in host
    sources = (f"{scheme}://{host}",) if is_fixed else ()
    return NotebookHost(address.rstrip("/") + "/", (*VSCODE_FRAMES, *sources), (host,))


def _jupyter_base_url(environ: Mapping[str, str]) -> str | None:
    """Return the path of the Jupyter server that started this kernel, with a slash at both ends; None without one."""
    prefix = environ.get("JUPYTERHUB_SERVICE_PREFIX")
    if prefix:
        return prefix.rstrip("/") + "/"
    if "JPY_SESSION_NAME" not in environ or find_spec("jupyter_server") is None:
        return None
    app: Any = import_module("jupyter_server.serverapp")
    parent = environ.get("JPY_PARENT_PID", "")
    return next((server["base_url"] for server in app.list_running_servers() if str(server["pid"]) == parent), None)


def _in_kernel() -> bool:
    ipython: Any = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _in_marimo() -> bool:
    marimo: Any = sys.modules.get("marimo")
    return marimo is not None and marimo.running_in_notebook()
