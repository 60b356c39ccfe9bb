# SPDX-License-Identifier: Apache-2.0
"""``python -m mindscope.cli`` is ``mindscope``."""

from __future__ import annotations

from mindscope.cli import main

main()
