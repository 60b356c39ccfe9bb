# SPDX-License-Identifier: Apache-2.0
"""Everything here trains for real."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
