# SPDX-License-Identifier: Apache-2.0
"""Messages of a writer that no page shows: session states, log messages, explanations."""

from __future__ import annotations

from mindscope.formats import mindspore_schemas, tensorboard_schemas
from mindscope.formats.kinds.descriptor import KindDescriptor, event_message
from mindscope.types import Kind

SESSION = KindDescriptor(Kind.SESSION, tensorboard=event_message(tensorboard_schemas.SESSION_LOG, 7), is_tagged=False)
LOG_MESSAGE = KindDescriptor(
    Kind.LOG_MESSAGE, tensorboard=event_message(tensorboard_schemas.LOG_MESSAGE, 6), is_tagged=False
)
EXPLAIN = KindDescriptor(Kind.EXPLAIN, mindspore=event_message(mindspore_schemas.EXPLAIN, 6), is_tagged=False)
