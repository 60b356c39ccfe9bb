# SPDX-License-Identifier: Apache-2.0
"""What the files say about a run: that it began and ended, its parameters, group and notes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mindscope.capture.masking.masked_parameters import masked_parameters
from mindscope.formats.kinds.tensorboard_plugins import FAILURE, RUNNING, SUCCESS, hparams_to_tensorboard, session_end
from mindscope.types import Message


@dataclass(frozen=True, slots=True)
class Facts:
    """What ``init`` got. The page shows all but the group as facts ``env/...`` of the run."""

    directory: str
    project: str | None = None
    name: str | None = None
    group: str | None = None
    job_type: str | None = None
    tags: Sequence[str] = ()
    notes: str | None = None

    def start_messages(self, is_resumed: bool) -> Iterator[Message]:
        """Yield the messages of the beginning. A resumed run is no longer ended."""
        facts = {
            "project": self.project, "name": self.name, "job_type": self.job_type, "tags": ", ".join(self.tags),
            "notes": self.notes,
        }  # fmt: skip
        given = {f"env/{name}": value for name, value in facts.items() if value}
        yield from parameter_messages(given, self.group)
        if is_resumed:
            yield session_end(RUNNING)


def parameter_messages(values: Mapping[str, Any], group: str | None) -> list[Message]:
    """Return the messages of parameters: texts, numbers and bools, without secrets."""
    return hparams_to_tensorboard(masked_parameters(values), (), {}, group=group, start_time_s=time.time())[:2]


def end_message(has_failed: bool) -> Message:
    """Return the message of the end."""
    return session_end(FAILURE if has_failed else SUCCESS)
