# SPDX-License-Identifier: Apache-2.0
"""What a training loop touches: the recorder, which copies values, queues them, and writes them on its own thread."""

from mindscope.capture.exit_hooks import flush_all
from mindscope.capture.record import SummaryRecord

__all__ = ["SummaryRecord", "flush_all"]
