# SPDX-License-Identifier: Apache-2.0
"""One module per resource of the API."""
