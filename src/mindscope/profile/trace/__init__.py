# SPDX-License-Identifier: Apache-2.0
"""The events of a trace as columns, and how JSON traces are read."""
