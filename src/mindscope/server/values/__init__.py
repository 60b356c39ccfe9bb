# SPDX-License-Identifier: Apache-2.0
"""The values of a tag: their list, and one module for each kind of which a client reads single values."""
