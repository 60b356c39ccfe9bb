# SPDX-License-Identifier: Apache-2.0
"""The version of the HTTP API, which programs compare with the one that they were written for."""

API_VERSION = "1.0"
"""Major and minor number. A change that breaks a program raises the major number, any other the minor one.

A route or field that is removed, renamed, or means something else breaks a program, as does a further field that
requests must have. ``tests/server/api_versions.json`` holds a digest of each version.
"""
