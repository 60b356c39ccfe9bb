# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document: ``python -m mindscope.server.openapi`` prints it, the client's types are generated from it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from mindscope.ingest import Catalog
from mindscope.settings import Settings


def complete(app: FastAPI) -> None:
    """Add the messages that travel inside binary columns and event streams, which FastAPI doesn't see."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        document = plain()
        document["components"]["schemas"].update(_extra_schemas())
        _declare_failures_as_json(document)
        return document

    app.openapi = openapi


def _declare_failures_as_json(document: dict[str, Any]) -> None:
    """FastAPI gives refusals the media type of the answer; ours are always JSON."""
    for address in document["paths"].values():
        for operation in address.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    answer["content"] = {"application/json": next(iter(answer["content"].values()))}


def _extra_schemas() -> dict[str, Any]:
    models = [(model, "serialization") for model in _not_in_a_json_body()]
    _, schema = models_json_schema(models, ref_template="#/components/schemas/{model}")  # pyright: ignore[reportArgumentType]
    return schema["$defs"]


def _not_in_a_json_body() -> tuple[type[BaseModel], ...]:
    """Imported at the first use: a viewer answers before anybody asks for its document."""
    from mindscope.server.alerts_schema import LiveAlerts
    from mindscope.server.curve_schema import CurvesHeader
    from mindscope.server.derived_schema import DerivedHeader
    from mindscope.server.group_schema import GroupsHeader
    from mindscope.server.histogram_schema import HistogramsHeader
    from mindscope.server.live_schema import LiveChange, LiveHello
    from mindscope.server.notebook_schema import LiveNotebook
    from mindscope.server.pr_schema import PrCurvesHeader
    from mindscope.server.value_messages import HeatHeader

    return (
        CurvesHeader,
        HistogramsHeader,
        DerivedHeader,
        GroupsHeader,
        HeatHeader,
        PrCurvesHeader,
        LiveHello,
        LiveChange,
        LiveNotebook,
        LiveAlerts,
    )


def main() -> None:
    """Print the document of an empty viewer."""
    from mindscope.server.app import create_app

    app = create_app(Settings(summary_base_dir=Path(), workspace=Path()), Catalog(Path()))
    json.dump(app.openapi(), sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
