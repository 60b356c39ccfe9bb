# SPDX-License-Identifier: Apache-2.0
"""Captures what a training prints. The process that writes it imports only modules of this folder."""
