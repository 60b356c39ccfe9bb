# SPDX-License-Identifier: Apache-2.0
"""Searches logs of trainings, which it keeps open."""

from __future__ import annotations

from mindscope.errors import DebugDataError
from mindscope.ingest import Catalog
from mindscope.mcp.results import count_text, counted, cut, first, time_text
from mindscope.mcp.schema import LogPage, LogRequest, LogRow
from mindscope.server.logs.query import lines_answer, message_answer
from mindscope.server.logs.schema import LogLevel, LogLine, LogLinesAnswer, LogLinesQuery, LogMessageQuery
from mindscope.server.logs.sources import NoLogError, OpenLog, OpenLogs

_MOST_PAGES = 40
"""Pages for which a long log is indexed and searched; each takes half a second at most."""
_LONGEST_MESSAGE = 2000
_MOST_NAMES = 10
_FULL_REMEDY = "narrow with search, regex, level or step, or raise limit"


class LogReader:
    """The logs that were read last."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._logs = OpenLogs(None, 0)

    def read(self, run: str, request: LogRequest) -> LogPage:
        """Return messages. Raises DebugDataError for a run without logs or an invalid expression, OSError."""
        store = self._catalog.run(run)
        opened, query = self._open(run), _query(run, request)
        answer = lines_answer(opened, query, store)
        for _ in range(_MOST_PAGES):
            if answer.is_complete:
                break
            answer = lines_answer(opened, query, store)
        if request.where == "end":  # the page around the last message has half of its lines before it
            begin = max(0, answer.matching - request.limit)
            answer = lines_answer(opened, query.model_copy(update={"is_last": False, "first": begin}), store)
        return LogPage(
            summary=_summary(answer, request),
            files=first(map(cut, answer.files), _MOST_NAMES),
            lines=[_row(line, self._whole(opened, line, run)) for line in answer.lines],
        )

    def _whole(self, opened: OpenLog, line: LogLine, run: str) -> str:
        """Return the whole text of a message: lists have its first lines, and a traceback says at its end why."""
        if not line.is_cut:
            return line.text
        query = LogMessageQuery(run=run, files=[], file=line.file, row=line.row)
        return message_answer(opened, query, self._catalog.run(run)).text

    def _open(self, run: str) -> OpenLog:
        try:
            return self._logs.get(self._catalog, run, [])
        except NoLogError:
            raise DebugDataError(
                f"run {run!r} has no logs: let the training write *.log files into its directory."
            ) from None


def _query(run: str, request: LogRequest) -> LogLinesQuery:
    return LogLinesQuery(
        run=run, files=[], modules=[], ranks=[], text=request.search, regex=request.regex,
        least_level=LogLevel(request.level), count=request.limit, is_last=request.where == "end",
        at_crash=request.where == "crash", at_step=request.step,
    )  # fmt: skip


def _summary(answer: LogLinesAnswer, request: LogRequest) -> str:
    sentences = [count_text(len(answer.lines), answer.matching, "message", _FULL_REMEDY)]
    if not answer.is_complete:
        searched = f"Only {answer.searched:,} of {counted(answer.total, 'message')} were searched so far"
        sentences.append(f"{searched}: call it again.")
    if request.where == "crash" and answer.at is None:
        sentences.append("The log does not end with an error.")
    listed = min(len(answer.files), _MOST_NAMES)
    return " ".join([*sentences, count_text(listed, len(answer.files), "file", "the others are left out")])


def _row(line: LogLine, text: str) -> LogRow:
    return LogRow(
        level=line.level.value,
        time=time_text(line.wall_time),
        rank=line.rank,
        text=_ends(text[line.head :].strip("\n")),
    )


def _ends(text: str) -> str:
    """Return the begin and the end of a long message."""
    if len(text) <= _LONGEST_MESSAGE:
        return text
    half = _LONGEST_MESSAGE // 2
    return f"{text[:half]}\n… ({len(text) - 2 * half:,} characters) …\n{text[-half:]}"
