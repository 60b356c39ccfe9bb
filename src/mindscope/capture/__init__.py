# SPDX-License-Identifier: Apache-2.0
"""The recorder: copies values of the training loop, queues them, and writes them on its own thread."""

from mindscope.capture.event_stream import EventStream
from mindscope.capture.exit_hooks import flush_all
from mindscope.capture.record import SummaryRecord

__all__ = ["EventStream", "SummaryRecord", "flush_all"]
