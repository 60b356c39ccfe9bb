# SPDX-License-Identifier: Apache-2.0
"""Notifications of alerts: chats, webhooks, e-mail and desktop, without ever stopping the watch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.alerts.notify.notifier import Notifier
    from mindscope.alerts.notify.settings import NotifySettings, TargetSettings, read_settings

__all__ = ["Notifier", "NotifySettings", "TargetSettings", "read_settings"]

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.alerts.notify.notifier": "Notifier",
        "mindscope.alerts.notify.settings": "NotifySettings TargetSettings read_settings",
    },
)
