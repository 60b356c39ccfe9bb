# SPDX-License-Identifier: Apache-2.0
"""What a forked viewer finds imported. ``mindscope start`` sets the variable before these imports too."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import mindscope.cli
import mindscope.server.process.server  # noqa: F401
