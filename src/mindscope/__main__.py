# SPDX-License-Identifier: Apache-2.0
"""``python -m mindscope`` is ``mindscope``, also where scripts are not on the path."""

from __future__ import annotations

from mindscope.cli import main

main()
