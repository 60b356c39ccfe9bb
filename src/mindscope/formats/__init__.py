# SPDX-License-Identifier: Apache-2.0
"""Bytes to events and back: framing, the wire encoding, and the messages of MindSpore and TensorBoard."""
