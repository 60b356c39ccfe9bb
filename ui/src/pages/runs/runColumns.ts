// SPDX-License-Identifier: Apache-2.0
import { isNumeric } from "../../core/lineage/tableColumns";
import type { LineageCell, LineageColumn } from "../../core/lineage/column";
import { settingCounts, settingValues } from "../../core/lineage/groupCell";
import { isSetting } from "../../core/lineage/parameterTable";
import { fileCount, runDuration, type FactColumn, type RunFacts } from "../../core/runs/runTable";
import type { ColumnBand, TableColumn } from "../../core/tables/tableColumn";
import { formatBytes, formatCount, formatSetting, groupDigits } from "../../core/text/format";
import { formatAgo, formatDuration, formatWallTime } from "../../core/text/time";
import { currentLanguage, t } from "../../i18n/i18n.svelte";
import { annotations, notesText } from "../../state/annotations/annotations.svelte";
import { lineage } from "../../state/data/lineage.svelte";
import { clock } from "../../state/view/clock.svelte";
import { BEST, CURVE, modelLineage, NOTES, RANK } from "../../state/view/modelLineage.svelte";
import { cellWords, columnTitle, exactWords, groupWords } from "../../widgets/tables/lineageWords";

/** A column of the table of runs: a fact of every run, one of the lineage, or one that is computed. */
export interface RunColumn extends TableColumn {
  /** Null for a column that no lineage has. */
  source: LineageColumn | null;
  /** The value of a run, or of several runs by their facts together. */
  cell: (facts: RunFacts) => LineageCell;
  text: (facts: RunFacts) => string;
  /** All of it in words, where the cell shows less. */
  tip?: (facts: RunFacts) => string;
}

export const UPDATED = "fact/updated";
export const DATA = "fact/data";
export const ISSUES = "fact/issues";

/** From here on a step is written short. */
const LONG_STEP = 1e7;
/** Values in the tip of a group. */
const MOST_LISTED = 8;

type Fact = Pick<RunColumn, "cell" | "text" | "tip" | "width" | "isDrawn" | "isElastic" | "descendsFirst"> & {
  title: Exclude<FactColumn, "name"> | "notes";
  isNumber: boolean;
};

function known<Value>(value: Value | null, words: (value: Value) => string): string {
  return value === null ? "–" : words(value);
}

function issuesText({ damages, dropped }: RunFacts): string {
  return [damages > 0 ? t("issues.damages", { n: damages }) : "", dropped > 0 ? t("issues.dropped", { n: dropped }) : ""]
    .filter((part) => part !== "")
    .join(", ");
}

const FACTS: ReadonlyMap<string, Fact> = new Map<string, Fact>(
  Object.entries({
    "fact/state": { title: "state", isNumber: false, isDrawn: true, cell: ({ state }) => state, text: ({ state }) => t(`state.${state}`) },
    [UPDATED]: {
      title: "updated",
      isNumber: false,
      width: 116,
      descendsFirst: true,
      cell: (facts) => facts.last_wall_time,
      text: (facts) => known(facts.last_wall_time, (time) => formatAgo(time, clock.now, currentLanguage())),
      tip: (facts) => known(facts.last_wall_time, formatWallTime),
    },
    "fact/duration": {
      title: "duration",
      isNumber: true,
      descendsFirst: true,
      cell: runDuration,
      text: (facts) => known(runDuration(facts), formatDuration),
    },
    "fact/last_step": {
      title: "step",
      isNumber: true,
      descendsFirst: true,
      cell: (facts) => facts.last_step,
      text: (facts) => known(facts.last_step, (step) => (step < LONG_STEP ? groupDigits(step) : formatCount(step))),
      tip: (facts) => known(facts.last_step, groupDigits),
    },
    [DATA]: {
      title: "data",
      isNumber: false,
      isDrawn: true,
      descendsFirst: true,
      cell: ({ tags }) =>
        Object.entries(tags)
          .map(([name, count]) => `${name}: ${count}`)
          .join(", "),
      text: () => "",
    },
    [NOTES]: {
      title: "notes",
      isNumber: false,
      isDrawn: true,
      width: 120,
      isElastic: true,
      cell: ({ id }) => notesText(annotations.notesOf(id)) || null,
      text: ({ id }) => notesText(annotations.notesOf(id)),
    },
    "fact/files": {
      title: "files",
      isNumber: true,
      descendsFirst: true,
      cell: fileCount,
      text: (facts) => groupDigits(fileCount(facts)),
    },
    "fact/size": {
      title: "size",
      isNumber: true,
      descendsFirst: true,
      cell: (facts) => facts.size_bytes,
      text: (facts) => known(facts.size_bytes, formatBytes),
    },
    [ISSUES]: {
      title: "issues",
      isNumber: false,
      isDrawn: true,
      descendsFirst: true,
      cell: (facts) => issuesText(facts) || null,
      text: issuesText,
    },
  } satisfies Record<string, Fact>),
);

/** Facts of every run, which need no lineage. */
export const FACT_IDS: readonly string[] = [...FACTS.keys()];
/** Columns that are computed from the target. */
export const COMPUTED: readonly string[] = [RANK, BEST, CURVE];
const CURVE_WIDTH = 120;

function bandOf(source: { group: LineageColumn["group"] | null }): ColumnBand {
  return { key: source.group ?? "computed", title: groupWords(source), mark: source.group };
}

/** The column of an id; null if there is none, undefined while it is unknown whether there is one. */
function runColumn(id: string): RunColumn | null | undefined {
  const source = lineage.table?.columns.get(id) ?? null;
  const fact = FACTS.get(id);
  if (fact) return { id, source, ...fact, title: t(`runs.column.${fact.title}`), band: bandOf({ group: "fact" }), differs: true };
  if (COMPUTED.includes(id)) return computedColumn(id);
  if (source) return lineageColumn(source);
  return lineage.table ? null : undefined;
}

function lineageColumn(source: LineageColumn): RunColumn {
  const cell = (facts: RunFacts): LineageCell =>
    facts.members && isSetting(source) ? sharedSetting(source, facts.members) : modelLineage.sortCell(source.id, facts);
  return {
    id: source.id,
    ...(titleOfTarget(source.id) ?? { title: columnTitle(source), band: bandOf(source) }),
    isNumber: isNumeric(source),
    differs: source.differs,
    isTarget: source.id === modelLineage.target?.id,
    source,
    cell,
    text: (facts) => (facts.members ? groupText(source, cell(facts), facts.members) : cellWords(source, cell(facts))),
    tip: (facts) => (facts.members ? groupTip(source, facts.members) : exactWords(source, cell(facts))),
  };
}

/** Columns of a target with a curve are below its name; null for other columns. */
function titleOfTarget(id: string): { title: string; label: string; band: ColumnBand } | null {
  const { tag, last, best } = modelLineage;
  const statistic = (
    [
      [last, "last"],
      [best, "best"],
      [CURVE, "curve"],
    ] as const
  ).find(([column]) => column === id)?.[1];
  if (tag === null || statistic === undefined) return null;
  const title = t(`runs.target_${statistic}`);
  return { title, label: `${tag} ${title}`, band: { key: "target", title: tag, mark: "metric" } };
}

/** The value of a setting that runs share; null where they have different ones. */
function sharedSetting(source: LineageColumn, members: readonly string[]): LineageCell {
  const { values } = modelLineage.groupCell(source.id, members);
  return values.length === 1 ? values[0]![0] : null;
}

/** The value of several runs together, the set or range of their settings, or how many values they have. */
function groupText(source: LineageColumn, value: LineageCell, members: readonly string[]): string {
  const group = modelLineage.groupCell(source.id, members);
  const { values } = group;
  const different = values.length > 1 && isSetting(source) ? settingValues(group) : null;
  if (different) {
    return "set" in different
      ? different.set.map((each) => cellWords(source, each)).join(", ")
      : `${cellWords(source, different.low)} … ${cellWords(source, different.high)}`;
  }
  return value === null && values.length > 1 ? t("compare.values", { n: values.length }) : cellWords(source, value);
}

/** Between what numbers are, or which values there are, each with its number of runs. */
function groupTip(source: LineageColumn, members: readonly string[]): string {
  const group = modelLineage.groupCell(source.id, members);
  const { value, low, high, finite } = group;
  const values = isSetting(source) ? settingCounts(group) : group.values;
  const count = values.reduce((sum, [, runs]) => sum + runs, 0);
  const missing = members.length - count;
  const without = missing > 0 ? [t("runs.group_missing", { n: missing, shown: groupDigits(missing) })] : [];
  if (values.length > 1 && value !== null && low !== null && !isSetting(source)) {
    const [least, most, others] = [cellWords(source, low), cellWords(source, high), count - finite];
    const mean = t("runs.group_mean", { low: least, high: most, n: finite, shown: groupDigits(finite) });
    return [mean, ...(others > 0 ? [t("runs.group_not_finite", { n: others, shown: groupDigits(others) })] : []), ...without].join("\n");
  }
  const listed = values.slice(0, MOST_LISTED).map(([cell, runs]) => `${exactWords(source, cell)} (${groupDigits(runs)})`);
  return [...listed, ...(values.length > MOST_LISTED ? ["…"] : []), ...without].join("\n");
}

function computedColumn(id: string): RunColumn | null {
  const { target } = modelLineage;
  if (!target || (id === CURVE && !modelLineage.hasCurves)) return null;
  if (id === CURVE) return curveColumn();
  const cell = (facts: RunFacts): LineageCell => modelLineage.sortCell(id, facts);
  const isRank = id === RANK;
  return {
    id,
    title: t(isRank ? "lineage.rank" : "lineage.best"),
    band: bandOf({ group: null }),
    isNumber: true,
    differs: true,
    source: null,
    cell,
    text: (facts) => {
      const value = cell(facts);
      return isRank ? (typeof value === "number" ? formatSetting(value) : "–") : cellWords(target, value);
    },
  };
}

function curveColumn(): RunColumn {
  const cell = (facts: RunFacts): LineageCell => modelLineage.sortCell(CURVE, facts);
  const shape = { isNumber: false, isDrawn: true, differs: true, width: CURVE_WIDTH };
  const titles = titleOfTarget(CURVE) ?? { title: t("runs.target_curve"), band: bandOf(modelLineage.target!) };
  return { id: CURVE, ...titles, ...shape, source: null, cell, text: () => "" };
}

/** A column without values, until the lineage is read. */
function pendingColumn(id: string): RunColumn {
  return { id, title: id, band: null, isNumber: false, differs: true, source: null, cell: () => null, text: () => "–" };
}

/** The columns of these ids; those of a lineage that is not yet read have no values. */
export function runColumns(ids: readonly string[]): RunColumn[] {
  return ids.flatMap((id) => {
    const column = runColumn(id);
    return column === undefined ? pendingColumn(id) : (column ?? []);
  });
}
