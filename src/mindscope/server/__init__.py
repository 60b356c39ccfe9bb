# SPDX-License-Identifier: Apache-2.0
"""The viewer's HTTP side: the API, live updates and the built client, for one base directory."""
