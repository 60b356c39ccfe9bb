# SPDX-License-Identifier: Apache-2.0
"""What a training loop touches: the recorder, which copies values, queues them, and writes them on its own thread."""

from mindscope.capture.record import SummaryRecord

__all__ = ["SummaryRecord"]
