# SPDX-License-Identifier: Apache-2.0
"""Checks the certificate and the key of a viewer before it starts."""

from __future__ import annotations

import ssl
from typing import Any

from mindscope.errors import SettingsError
from mindscope.settings import Settings


def tls_options(settings: Settings) -> dict[str, Any]:
    """Return the options of uvicorn for HTTPS; none without a certificate.

    Raises SettingsError if a file is missing, is not PEM, or if the key belongs to another certificate.
    """
    certificate, key = settings.certificate, settings.key
    if certificate is None:
        return {}
    for flag, path in (("--certificate", certificate), ("--key", key)):
        try:
            if path is not None:
                path.open("rb").close()
        except OSError as error:
            raise SettingsError(f"{flag} {path}: {error.strerror}; give a PEM file that you can read") from error
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key, _no_password)
    except (ssl.SSLError, ValueError) as error:
        raise SettingsError(_reason(settings, error)) from error
    return {"ssl_certfile": certificate, "ssl_keyfile": key}


def _no_password() -> str:
    raise ValueError("encrypted")


def _reason(settings: Settings, error: Exception) -> str:
    certificate, key = settings.certificate, settings.key
    if str(error) == "encrypted":
        return f"the key in {key or certificate} has a password; remove it with `openssl pkey -in KEY -out NEW`"
    if getattr(error, "reason", None) == "KEY_VALUES_MISMATCH":
        return f"the key in {key or certificate} is not that of the certificate in {certificate}; give both of a pair"
    if key is None:
        return f"--certificate {certificate} has no certificate with its key in PEM; give the key with --key"
    return f"--certificate {certificate} and --key {key} have no certificate and its key in PEM ({error}); correct them"
