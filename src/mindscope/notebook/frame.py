# SPDX-License-Identifier: Apache-2.0
"""The frame below a cell, in Jupyter, Colab, VS Code and marimo."""

from __future__ import annotations

import json
from html import escape
from importlib import import_module
from string import Template
from typing import Any

from mindscope.notebook.host import NotebookHost

STYLE = "width: 100%; border: 1px solid #8884; border-radius: 4px"
COLAB = Template("""
(async () => {
  const root = await google.colab.kernel.proxyPort($port, { cache: true });
  const frame = document.createElement("iframe");
  frame.src = new URL($page, root);
  frame.height = $height;
  frame.style.cssText = $style;
  document.body.append(frame);
})();
""")
"""Only the page of Colab knows the address of a port."""


def display_frame(host: NotebookHost, port: int, page: str, height: int) -> None:
    """Show a page of the viewer on a port; ``height`` is in pixels."""
    if host.is_colab:
        _display({"application/javascript": colab_script(port, page, height)})
        return
    address = host.address.format(port=port) + page
    html = frame_html(address, height)
    if host.is_marimo:
        _append_in_marimo(html)
    else:
        _display({"text/html": html, "text/plain": address})


def frame_html(address: str, height: int) -> str:
    """Return an element that shows an address, with ``height`` in pixels."""
    return (
        f'<iframe src="{escape(address)}" title="mindscope" height="{height}" style="{STYLE}" '
        'allow="clipboard-write; fullscreen"></iframe>'
    )


def colab_script(port: int, page: str, height: int) -> str:
    """Return the code that shows a page in Colab, with ``height`` in pixels."""
    return COLAB.substitute(port=port, page=json.dumps(page), height=height, style=json.dumps(STYLE))


def _display(bundle: dict[str, str]) -> None:
    """Show an output in the formats of Jupyter, by their media types."""
    ipython: Any = import_module("IPython.display")
    ipython.display(bundle, raw=True)


def _append_in_marimo(html: str) -> None:
    marimo: Any = import_module("marimo")
    marimo.output.append(marimo.Html(html))
