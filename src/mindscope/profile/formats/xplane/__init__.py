# SPDX-License-Identifier: Apache-2.0
"""Reads what the profiler of JAX and XLA writes: ``plugins/profile/TIME/HOST.xplane.pb``."""
