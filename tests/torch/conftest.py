# SPDX-License-Identifier: Apache-2.0
"""Everything here trains for real."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# What Inductor compiles needn't be fast: without vectors it compiles no probes and smaller headers, and one process
# is enough for it. The first compiled training of a machine then takes 26 s of a processor instead of 43 s.
os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "0")
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

sys.path.insert(0, str(Path(__file__).parent))
