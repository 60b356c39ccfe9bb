// SPDX-License-Identifier: Apache-2.0
import { numbersOf, type Goal, type LineageCell, type LineageColumn } from "../../core/lineage/column";
import { bestSoFar, ranksOf, type LineageTable } from "../../core/lineage/lineageTable";
import { groupCell, type GroupCell } from "../../core/lineage/groupCell";
import { isSetting } from "../../core/lineage/parameterTable";
import { scalarColumn, tagOfColumn } from "../../core/lineage/scalarColumns";
import { columnsOf, isNumeric, offeredColumns, proposedSettings } from "../../core/lineage/tableColumns";
import { FACT_COLUMNS, factKey, type RunFacts } from "../../core/runs/runTable";
import type { ColumnSort } from "../../core/tables/columnSort";
import { matcherFor } from "../../core/text/textFilter";
import { annotations, notesText } from "../annotations/annotations.svelte";
import { lineage } from "../data/lineage.svelte";
import { runs } from "../data/runs.svelte";
import { conditions } from "./conditions.svelte";
import { scalarColumns } from "./scalarColumns.svelte";
import { searchedText, selection } from "./selection.svelte";
import { view } from "./view.svelte";

/** Columns that are computed from the target. */
export const RANK = "fact/rank";
export const BEST = "fact/best";
/** The column of the curve of the target. */
export const CURVE = "fact/curve";
/** The column of the labels and notes that people add. */
export const NOTES = "fact/notes";

/** Metrics beside the target, and settings, that the table shows by itself. */
const [MOST_METRICS, MOST_SETTINGS] = [2, 12];

const NO_ROWS: readonly number[] = [];

const groupCells = new WeakMap<readonly string[], WeakMap<readonly LineageCell[], GroupCell>>();

/** The table of all runs: what the charts above it draw, and the values that every page sorts by. */
class ModelLineage {
  /** Null until the runs are known too: a table without runs is not yet an empty one. */
  table = $derived<LineageTable | null>(runs.isLoaded ? lineage.table : null);

  target = $derived.by<LineageColumn | null>(() => {
    if (!this.table) return null;
    return scalarColumns.targets.map((id) => this.table!.columns.get(id)).find((column) => column !== undefined) ?? null;
  });

  /** The tag that has the name of the target, whose best value is a column; null without one. */
  tag = $derived(this.target && scalarColumns.tagOf(this.target.id));

  /** Tags whose curves lead to the target. */
  #curveTags = $derived(this.target === null ? [] : scalarColumns.curveTagsOf(this.target.id));

  goal = $derived<Goal>((this.target && goalOf(this.target)) ?? "max");

  /** Rows that meet the conditions except the brushes, in the order of the table. */
  candidates = $derived.by<readonly number[]>(() => {
    const { table } = this;
    if (!table) return NO_ROWS;
    const { matches } = matcherFor(view.list.filter);
    const isListed = new Set(runs.ids);
    return [...table.runs.keys()].filter((row) => {
      const run = table.runs[row]!;
      return isListed.has(run) && matches(searchedText(run)) && conditions.matchesExpression(run);
    });
  });

  /** What the charts draw: the candidates, without those that the page hides. */
  drawn = $derived.by<readonly number[]>(() => {
    return view.table.rows === "all" ? this.candidates : this.candidates.filter((row) => selection.isInTable(this.runOf(row)));
  });

  /** What is drawn and passes the brushes. */
  passing = $derived.by<readonly number[]>(() => {
    const { passing } = conditions;
    return passing ? this.drawn.filter((row) => passing[row] === 1) : this.drawn;
  });

  /** Columns of the last and the best value of the target; both are the target where it has no curve. */
  last = $derived(this.#statistic("last"));
  best = $derived(this.#statistic(this.goal));
  /** Ids of the columns of the target. */
  targetColumns = $derived.by<readonly string[]>(() => {
    if (!this.target) return [];
    const values = new Set([this.target.id, this.last, this.best].filter((id) => id !== null));
    return [...values, ...(this.#curveTags.length > 0 ? [CURVE] : [])];
  });

  /** The best runs first; null without a target. */
  bestFirst = $derived.by<readonly ColumnSort[] | null>(() => {
    if (!this.target || this.target.low === null) return null;
    const column = this.target.id === this.last ? this.best! : this.target.id;
    return [{ column, isDescending: this.goal === "max" }];
  });

  /** The column of notes, if a run has notes. */
  notesColumn = $derived.by<string[]>(() => ([...annotations.runs.values()].some((notes) => notesText(notes) !== "") ? [NOTES] : []));

  /** Ids of the columns of results: the target, other metrics, and chosen scalars. */
  resultColumns = $derived.by<string[]>(() => {
    if (!this.table) return [];
    const { onlyDiffering, scalars } = view.lineage;
    const results = columnsOf(this.table, ["metric"]).filter(({ id, differs }) => (differs || !onlyDiffering) && id !== this.target?.id);
    const chosen = scalars.length > 0 ? columnsOf(this.table, ["scalar"]).filter(({ differs }) => differs || !onlyDiffering) : [];
    const usual = results.filter(({ count }) => 2 * count >= (this.target?.count ?? 0)).slice(0, MOST_METRICS);
    const others = [...(onlyDiffering ? usual : results), ...chosen].map(({ id }) => id);
    return [...new Set([...this.targetColumns, ...others])];
  });

  /** Ids of the columns of settings: those that differ, or all. */
  settingColumns = $derived.by<string[]>(() => {
    if (!this.table) return [];
    const settings = view.lineage.onlyDiffering
      ? proposedSettings(this.table, MOST_SETTINGS)
      : columnsOf(this.table, ["parameter", "dataset", "algorithm", "model", "custom"]).map(({ id }) => id);
    return settings.filter((id) => !this.resultColumns.includes(id));
  });

  /** Ids of columns that runs can be compared by: metrics first, then scalars, whether they are columns yet or not. */
  targets = $derived.by<string[]>(() => {
    const numeric = (this.table ? offeredColumns(this.table) : []).filter((column) => isNumeric(column) && column.low !== null);
    const metrics = numeric.filter(({ group }) => group === "metric");
    const scalars = scalarColumns.tags.map(({ tag }) => scalarColumn(tag, "last"));
    return [...new Set([...metrics.map(({ id }) => id), ...scalars, ...numeric.map(({ id }) => id)])];
  });

  /** What the table sorts by at first, by row; NaN for runs that are not listed. */
  results = $derived.by<Float64Array>(() => {
    const column = this.bestFirst && this.table?.columns.get(this.bestFirst[0]!.column);
    if (!column) return new Float64Array();
    const isListed = new Set(runs.ids);
    return numbersOf(column).map((value, row) => (isListed.has(this.runOf(row)) ? value : NaN));
  });

  #places = $derived(ranksOf(this.results, this.goal));
  #placed = $derived(this.#places.filter((rank) => rank !== null).length);

  #targetNumbers = $derived(this.target && numbersOf(this.target));
  #ranks = $derived(this.#targetNumbers && ranksOf(this.#targetNumbers, this.goal));
  #best = $derived.by(() => {
    const starts = this.table?.columns.get("fact/start");
    return this.#targetNumbers && starts ? bestSoFar(this.#targetNumbers, numbersOf(starts), this.goal) : null;
  });

  #statistic(statistic: "last" | Goal): string | null {
    if (!this.target || this.tag === null) return this.target?.id ?? null;
    return statistic === "last" && tagOfColumn(this.target.id) === null ? this.target.id : scalarColumn(this.tag, statistic);
  }

  cellOf(column: string, row: number): LineageCell {
    if (column === RANK) return this.#ranks?.[row] ?? null;
    if (column === BEST) return this.#best?.[row] ?? null;
    return this.table?.columns.get(column)?.cells[row] ?? null;
  }

  /** The tag of a run's curve to the target; null without one. */
  curveTagOf(run: string): string | null {
    return this.#curveTags.find((tag) => scalarColumns.isHeld(tag, run)) ?? null;
  }

  /** Whether a run may have a curve to the target. */
  get hasCurves(): boolean {
    return this.#curveTags.length > 0;
  }

  /** Which of how many listed runs a run is by its best value; null without a finite value. */
  placeOf(run: string): { rank: number; total: number } | null {
    const rank = this.#places[this.table?.rowOf.get(run) ?? -1] ?? null;
    return rank === null ? null : { rank, total: this.#placed };
  }

  /** The best of the listed runs without one of them; null without another that has a value. */
  bestBeside(run: string): string | null {
    const ranks = this.#places;
    const own = this.table?.rowOf.get(run) ?? -1;
    const rows = [...ranks.keys()].filter((row) => row !== own && ranks[row] !== null);
    return rows.length === 0 ? null : this.runOf(rows.reduce((best, row) => (ranks[row]! < ranks[best]! ? row : best)));
  }

  /** What a column sorts a run by, or several runs together: their facts, what people noted, the lineage of a run. */
  sortCell(column: string, facts: RunFacts): LineageCell {
    if (column === NOTES) return notesText(annotations.notesOf(facts.id)) || null;
    const fact = FACT_COLUMNS.get(column);
    if (fact !== undefined) return factKey(facts, fact);
    if (column === CURVE) return this.last === null ? null : this.sortCell(this.last, facts);
    if (facts.members) return this.#groupValue(column, facts.members);
    const row = this.table?.rowOf.get(facts.id);
    return row === undefined ? null : this.cellOf(column, row);
  }

  /** A column over several runs. The same members are counted once. */
  groupCell(column: string, members: readonly string[]): GroupCell {
    const cells = this.#cellsOf(column);
    const known = groupCells.get(members) ?? new WeakMap<readonly LineageCell[], GroupCell>();
    groupCells.set(members, known);
    const found = known.get(cells) ?? groupCell(cells, this.#rowsOf(members));
    known.set(cells, found);
    return found;
  }

  /** The best run of a group has its rank and its best value, the first one its start; different settings sort by the least. */
  #groupValue(column: string, members: readonly string[]): LineageCell {
    const { value, low, high, values } = this.groupCell(column, members);
    const source = this.table?.columns.get(column);
    if (values.length > 1 && source && isSetting(source)) return low;
    if (column === RANK || column === "fact/start") return low;
    return column === BEST ? (this.goal === "max" ? high : low) : value;
  }

  #cellsOf(column: string): readonly LineageCell[] {
    if (column === RANK) return this.#ranks ?? NO_ROWS;
    if (column === BEST) return this.#best ?? NO_ROWS;
    return this.table?.columns.get(column)?.cells ?? NO_ROWS;
  }

  #rowsOf(members: readonly string[]): number[] {
    return members.flatMap((run) => this.table?.rowOf.get(run) ?? []);
  }

  runOf(row: number): string {
    return this.table?.runs[row] ?? "";
  }
}

/** The goal that people chose for a column, else the one that its name suggests. */
export function goalOf(column: LineageColumn): Goal {
  return annotations.targets.get(column.id)?.goal ?? column.goal;
}

/** A target that is no column yet: it is kept as soon as its goal is known. */
let awaited: string | null = null;

/** Makes a column the target, also one of a scalar that is no column yet. */
export function chooseTarget(id: string): void {
  awaited = id;
  view.setLineage({ target: id });
  keepTarget();
}

/** Keeps the chosen target for everybody who looks at this base directory; call it in an effect. */
export function keepTarget(): void {
  const { target } = modelLineage;
  if (target === null || target.id !== awaited) return;
  awaited = null;
  void setGoal(target, goalOf(target));
}

/** Says whether large or small values of a column are better, and makes it the target. */
export async function setGoal(column: LineageColumn, goal: Goal): Promise<void> {
  view.setLineage({ target: column.id });
  const others = [...annotations.targets].filter(([id, { is_chosen }]) => is_chosen && id !== column.id);
  if (!annotations.isWritable) return;
  for (const [id, other] of others) await annotations.put("targets", id, { goal: other.goal, is_chosen: false });
  await annotations.put("targets", column.id, { goal, is_chosen: true });
}

export const modelLineage = new ModelLineage();
