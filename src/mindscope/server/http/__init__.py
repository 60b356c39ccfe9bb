# SPDX-License-Identifier: Apache-2.0
"""HTTP without a resource: the context of a request, limits, headers, errors and the wire format of columns."""
