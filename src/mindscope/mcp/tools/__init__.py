# SPDX-License-Identifier: Apache-2.0
"""The tools, in one module for each subject. The docstring of a method is what an agent reads of a tool."""
