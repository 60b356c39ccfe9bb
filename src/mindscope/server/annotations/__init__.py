# SPDX-License-Identifier: Apache-2.0
"""Annotations of users about runs."""
