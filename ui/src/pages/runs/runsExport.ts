// SPDX-License-Identifier: Apache-2.0
import { formatBytes, groupDigits } from "../../core/text/format";
import { lineageId, runDuration, type FactColumn } from "../../core/runs/runTable";
import { runTree } from "../../core/runs/runTree";
import { formatDuration, formatWallTime } from "../../core/text/time";
import { t } from "../../i18n/i18n.svelte";
import type { Setting, ViewPlan } from "../../export/html/model";
import { isNumeric } from "../../core/lineage/tableColumns";
import { lineage } from "../../state/data/lineage.svelte";
import { cellWords, columnTitle } from "../../widgets/tables/lineageWords";
import { lineageCell } from "./lineageCells";
import { colors } from "../../state/view/runColors.svelte";
import { view } from "../../state/view/view.svelte";
import { tableContent, type PlannedColumn } from "../../export/tablePart";
import { filterSetting } from "../../export/selectedRuns";
import type { KindDescriptor } from "../previews/kind";
import { kindWords } from "./kindWords";
import type { NotedRun } from "./notedRun";

const NONE = "–";

/** The list of runs that the filter lets through, with all that is known of each; folded groups are open. */
export function runsExport(matching: readonly NotedRun[], kinds: readonly KindDescriptor[]): ViewPlan {
  const { sort, grouping } = view.list;
  const rows = runTree(matching, grouping, sort, () => false).flatMap((row) => (row.kind === "run" ? [row.run] : []));
  const title = t("runs.title");
  const content = tableContent(title, columnsOf(matching, kinds), rows, ({ id }) => colors.of(id));
  return {
    page: "runs",
    title,
    runs: [],
    settings: settings(),
    sections: [{ title, cards: rows.length > 0 ? [{ title, run: null, isWide: true, make: () => Promise.resolve(content) }] : [] }],
  };
}

function settings(): Setting[] {
  const { filter, grouping, sort } = view.list;
  const id = lineageId(sort.column);
  const order = `${id ?? t(`runs.column.${sort.column as FactColumn}`)} ${sort.isDescending ? "↓" : "↑"}`;
  return [
    ...filterSetting(filter),
    { name: t("side.sort"), value: order },
    ...(grouping === "none" ? [] : [{ name: t("runs.group"), value: t(`runs.group_${grouping}`) }]),
  ];
}

function lineagePlan(id: string): PlannedColumn<NotedRun> {
  const column = lineage.table?.columns.get(id);
  return {
    title: column ? columnTitle(column) : id,
    isNumber: column !== undefined && isNumeric(column),
    value: (run) => run.lineage[id] ?? null,
    text: ({ id: run }) => (column ? cellWords(column, lineageCell(id, run)) : NONE),
  };
}

function columnsOf(runs: readonly NotedRun[], kinds: readonly KindDescriptor[]): PlannedColumn<NotedRun>[] {
  const hasIssue = runs.some(({ damages, dropped }) => damages + dropped > 0);
  const isNoted = runs.some(({ notes }) => notes !== null);
  return [
    words("name", ({ id }) => id),
    words("state", ({ state }) => t(`state.${state}`)),
    ...view.list.lineage.map(lineagePlan),
    number("updated", (run) => run.last_wall_time, formatWallTime),
    number("duration", runDuration, formatDuration),
    number("step", (run) => run.last_step, groupDigits),
    words("data", ({ tags }) =>
      kindWords(tags, kinds)
        .map(({ text }) => text)
        .join(" · "),
    ),
    number("files", ({ files }) => files, groupDigits),
    number("size", (run) => run.size_bytes, formatBytes),
    ...(isNoted ? [words("notes", ({ notes }) => notes ?? "")] : []),
    ...(hasIssue ? [words("issues", issuesOf)] : []),
  ];
}

function issuesOf({ damages, dropped }: NotedRun): string {
  return [
    ...(damages > 0 ? [t("issues.damages", { n: damages })] : []),
    ...(dropped > 0 ? [t("issues.dropped", { n: dropped })] : []),
  ].join(" · ");
}

type ColumnName = "name" | "state" | "updated" | "duration" | "step" | "data" | "files" | "size" | "notes" | "issues";

function words(column: ColumnName, text: (run: NotedRun) => string): PlannedColumn<NotedRun> {
  return { title: t(`runs.column.${column}`), isNumber: false, value: text, text };
}

function number(column: ColumnName, value: (run: NotedRun) => number | null, text: (value: number) => string): PlannedColumn<NotedRun> {
  const written = (run: NotedRun): string => {
    const known = value(run);
    return known === null ? NONE : text(known);
  };
  return { title: t(`runs.column.${column}`), isNumber: true, value, text: written };
}
