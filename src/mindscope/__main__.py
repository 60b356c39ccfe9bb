# SPDX-License-Identifier: Apache-2.0
"""``python -m mindscope`` runs ``mindscope``, even if scripts are not on the path."""

from __future__ import annotations

from mindscope.cli import main

main()
