# SPDX-License-Identifier: Apache-2.0
"""Shows a viewer below a cell of a notebook."""

from __future__ import annotations

from mindscope.notebook.magic import load_ipython_extension
from mindscope.notebook.show import show

__all__ = ["load_ipython_extension", "show"]
