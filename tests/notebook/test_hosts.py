# SPDX-License-Identifier: Apache-2.0
"""The addresses that kernels of VS Code, JupyterHub and Colab give to their pages."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROBE = """
import sys, types
from ipykernel.inprocess import InProcessKernelManager
from mindscope.notebook.host import notebook_host
{before}
manager = InProcessKernelManager()
manager.start_kernel()
print(*(getattr(notebook_host(), name) for name in ("address", "frame_sources", "names")), sep="|")
"""
LOCAL = "('http://localhost:*', 'http://127.0.0.1:*', 'vscode-webview:', 'vscode-file:')"


def probe(environment: dict[str, str], before: str = "") -> list[str]:
    """Address, origins of frames and names for a kernel with this environment."""
    command = [sys.executable, "-c", PROBE.format(before=before)]
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("JPY_", "JUPYTER", "VSCODE"))
    }
    ran = subprocess.run(command, capture_output=True, text=True, env=inherited | environment, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip().splitlines()[-1].split("|")


def test_a_kernel_without_a_server_is_reached_on_this_machine():
    assert probe({}) == ["http://localhost:{port}/", LOCAL, "()"]


@pytest.mark.parametrize("prefix", ["/user/ann/", "/user/ann"])
def test_jupyterhub_gives_the_path_of_its_user(prefix: str):
    environment = {"JUPYTERHUB_SERVICE_PREFIX": prefix, "JUPYTERHUB_PUBLIC_URL": "https://hub.example.org/user/ann/"}
    assert probe(environment) == ["/user/ann/proxy/{port}/", "()", "('hub.example.org',)"]


def test_the_proxy_of_vscode_gives_a_path_for_each_port():
    address, sources, names = probe({"VSCODE_PROXY_URI": "https://code.example.org/proxy/{{port}}"})
    assert address == "https://code.example.org/proxy/{port}/"
    assert "'https://code.example.org'" in sources
    assert names == "('code.example.org',)"


def test_an_address_of_vscode_without_a_port_is_not_used():
    assert probe({"VSCODE_PROXY_URI": "https://code.example.org/"})[0] == "http://localhost:{port}/"
