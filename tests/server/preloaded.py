# SPDX-License-Identifier: Apache-2.0
"""What a forked viewer finds imported. ``mindscope start`` sets the variable before these imports too.

The last ones a viewer imports when a request needs them. Each fork would import them again, 0.15 s of a processor.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import anyio._backends._asyncio  # noqa: F401
import bottleneck  # noqa: F401
import uvicorn.lifespan.on
import uvicorn.loops.asyncio  # noqa: F401

import mindscope.cli
import mindscope.server.graphs.query
import mindscope.server.landscapes.query
import mindscope.server.lineage.query
import mindscope.server.previews.query
import mindscope.server.process.server  # noqa: F401
