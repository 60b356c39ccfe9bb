# SPDX-License-Identifier: Apache-2.0
"""Streams of the devices of a profile."""
