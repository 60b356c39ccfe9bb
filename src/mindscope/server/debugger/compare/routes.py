# SPDX-License-Identifier: Apache-2.0
"""Routes of the comparison of two trainings: its operators, operators without a counterpart, pairs made by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.annotations.operator_pairs import change_operator_pair, debug_data_path, operator_pairs
from mindscope.debug.compare import known_pairs
from mindscope.errors import AnnotationError, StaleRecordError
from mindscope.reasons import Reason, reason_of
from mindscope.server.annotations.schema import LiveAnnotations
from mindscope.server.annotations.store import annotations_of
from mindscope.server.debugger.access import READABLE, answer_of, opened_source
from mindscope.server.debugger.compare.comparisons import Comparisons, OpenComparison
from mindscope.server.debugger.compare.query import operators_answer, pack_comparison, unmatched_answer
from mindscope.server.debugger.compare.schema import (
    ComparedOperatorsAnswer,
    ComparedOperatorsQuery,
    OfComparison,
    OperatorPair,
    PairChange,
    PairsAnswer,
    UnmatchedAnswer,
    UnmatchedQuery,
)
from mindscope.server.debugger.compare.tensor_query import compared_tensor, compared_tensor_answer
from mindscope.server.debugger.compare.tensor_schema import ComparedTensorAnswer, ComparedTensorQuery
from mindscope.server.debugger.sources import OpenSource
from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import failure
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import FailureAnswer
from mindscope.server.live.event_stream import LiveEvents

router = APIRouter()

CHANGEABLE: dict[int | str, dict[str, Any]] = {
    **READABLE,
    503: {"model": FailureAnswer, "description": "The annotations can't be written."},
}


@router.post(
    "/debugger/compare", openapi_extra=READS, response_class=ColumnsResponse, responses={**COLUMNS, **READABLE}
)
def query_debug_comparison(query: OfComparison, viewer: CurrentViewer) -> Response:
    """Find the first difference between two trainings: batch, parameters or operator, and the distance in each step.

    A long comparison takes several requests. The header is DebugComparisonHeader.
    """
    run_steps = _comparisons(viewer).run_steps
    return _answer(viewer, query, lambda opened: ColumnsResponse(pack_comparison(run_steps(opened))))


@router.post(
    "/debugger/compare/operators", openapi_extra=READS, response_model=ComparedOperatorsAnswer, responses=READABLE
)
def query_compared_operators(query: ComparedOperatorsQuery, viewer: CurrentViewer) -> Response:
    """The matched operators of a step with inherited and added errors, filtered and ordered; one page."""
    return _answer(viewer, query, lambda opened: JsonResponse(operators_answer(opened, query)))


@router.post("/debugger/compare/tensor", openapi_extra=READS, response_model=ComparedTensorAnswer, responses=READABLE)
def query_compared_tensor(query: ComparedTensorQuery, viewer: CurrentViewer) -> Response:
    """Compare a tensor of a step with its counterpart, element by element where both were recorded as a whole."""

    def compare(left: OpenSource, right: OpenSource) -> Response:
        remembered = _remembered(viewer, left, right)
        found = _comparisons(viewer).look(left, right, remembered, lambda opened: compared_tensor(opened, query))
        return JsonResponse(compared_tensor_answer(found))  # reads elements while others use the comparison

    return _with_both(viewer, query, compare)


@router.post("/debugger/compare/unmatched", openapi_extra=READS, response_model=UnmatchedAnswer, responses=READABLE)
def query_unmatched_operators(query: UnmatchedQuery, viewer: CurrentViewer) -> Response:
    """The operators of one side without a counterpart in the other; one page."""
    return _answer(viewer, query, lambda opened: JsonResponse(unmatched_answer(opened, query)))


@router.put("/debugger/compare/pairs", response_model=PairsAnswer, responses=CHANGEABLE)
def put_operator_pair(query: PairChange, viewer: CurrentViewer) -> Response:
    """Pair two operators by hand, or undo it. All comparisons of the two trainings use the pairs."""

    def change(left: OpenSource, right: OpenSource) -> Response:
        pair = {query.left: query.right}
        if query.is_paired and not known_pairs(left.source, right.source, pair):
            detail = f"{query.left!r} is not in the left training, or {query.right!r} not in the right one"
            return failure(404, Reason("debug_data_not_found", detail=detail), "name operators that are recorded")
        paths = debug_data_path(*left.key), debug_data_path(*right.key)
        operators = query.left, query.right
        try:
            written = change_operator_pair(annotations_of(viewer), *paths, operators, is_paired=query.is_paired)
        except (AnnotationError, StaleRecordError) as error:
            reason = reason_of(error) if isinstance(error, AnnotationError) else Reason("stale_record", keys=query.left)
            return failure(503, reason, "start the viewer with a --workspace of your own")
        viewer.shared(LiveEvents).announce("annotations", LiveAnnotations(revision=written.revision))
        pairs = known_pairs(left.source, right.source, operator_pairs(written, *paths))
        return JsonResponse(PairsAnswer(by_hand=[OperatorPair(left=one, right=each) for one, each in pairs.items()]))

    return _with_both(viewer, query, change)


def _answer(viewer: Viewer, query: OfComparison, look: Callable[[OpenComparison], Response]) -> Response:
    def compare(left: OpenSource, right: OpenSource) -> Response:
        return _comparisons(viewer).look(left, right, _remembered(viewer, left, right), look, query.step_offset)

    return _with_both(viewer, query, compare)


def _with_both(viewer: Viewer, query: OfComparison, look: Callable[[OpenSource, OpenSource], Response]) -> Response:
    """The result of ``look`` for both sources, or a response with 404 or 409."""
    return answer_of(viewer, query, lambda left: look(left, opened_source(viewer, query.other_run, query.other_source)))


def _remembered(viewer: Viewer, left: OpenSource, right: OpenSource) -> Mapping[str, str]:
    contents = annotations_of(viewer).read()
    return operator_pairs(contents, debug_data_path(*left.key), debug_data_path(*right.key))


def _comparisons(viewer: Viewer) -> Comparisons:
    return viewer.shared(Comparisons)
