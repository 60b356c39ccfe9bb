// SPDX-License-Identifier: Apache-2.0
import { numbersOf, type Goal, type LineageCell, type LineageColumn } from "../../core/lineage/column";
import { bestSoFar, ranksOf, type LineageTable } from "../../core/lineage/lineageTable";
import { groupCell, type GroupCell } from "../../core/lineage/groupCell";
import { isSetting } from "../../core/lineage/parameterTable";
import { proposedSettings, proposedTarget, tableColumns } from "../../core/lineage/tableColumns";
import { FACT_COLUMNS, factKey, type RunFacts } from "../../core/runs/runTable";
import { sortedByColumns } from "../../core/tables/sortByColumns";
import { matcherFor } from "../../core/text/textFilter";
import { annotations, notesText } from "../annotations/annotations.svelte";
import { lineage } from "../data/lineage.svelte";
import { runs } from "../data/runs.svelte";
import { conditions } from "./conditions.svelte";
import { searchedText, selection } from "./selection.svelte";
import { view } from "./view.svelte";

/** Columns that are computed from the target. */
export const RANK = "fact/rank";
export const BEST = "fact/best";
/** The column of the labels and notes that people add. */
export const NOTES = "fact/notes";

/** Settings that the list of runs shows by itself. */
const MOST_SETTINGS = 5;

const NO_ROWS: readonly number[] = [];

const groupCells = new WeakMap<readonly string[], WeakMap<readonly LineageCell[], GroupCell>>();

/** The table of all runs: its rows on the page Model lineage, and the values that every page sorts by. */
class ModelLineage {
  /** Null until the runs are known too: a table without runs is not yet an empty one. */
  table = $derived<LineageTable | null>(runs.isLoaded ? lineage.table : null);

  target = $derived.by<LineageColumn | null>(() => {
    if (!this.table) return null;
    const known = [view.lineage.target, rememberedTarget(), proposedTarget(this.table)];
    return known.map((id) => (id === null ? undefined : this.table!.columns.get(id))).find((column) => column !== undefined) ?? null;
  });

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

  /** Columns that are worth a look: results, settings, facts. */
  columns = $derived.by<LineageColumn[]>(() => {
    const { onlyDiffering } = view.lineage;
    return this.table ? tableColumns(this.table, { onlyDiffering, target: this.target?.id ?? null }) : [];
  });

  /** The column of notes, if a run has notes. */
  notesColumn = $derived.by<string[]>(() => ([...annotations.runs.values()].some((notes) => notesText(notes) !== "") ? [NOTES] : []));

  /** Ids of the few columns that the list of runs shows beside its facts: the target and settings that differ. */
  briefColumns = $derived.by<string[]>(() => {
    const target = this.target ? [this.target.id] : [];
    return this.table ? [...target, ...proposedSettings(this.table, MOST_SETTINGS).filter((id) => !target.includes(id))] : [];
  });

  /** Rows of the table on the page, in their order. */
  rows = $derived.by<readonly number[]>(() => {
    const { sort } = view.table;
    return sort.length > 0 ? sortedByColumns(this.passing, sort, (column, row) => this.sortCell(column, this.factsOf(row))) : this.passing;
  });

  #targetNumbers = $derived(this.target && numbersOf(this.target));
  #ranks = $derived(this.#targetNumbers && ranksOf(this.#targetNumbers, this.goal));
  #best = $derived.by(() => {
    const starts = this.table?.columns.get("fact/start");
    return this.#targetNumbers && starts ? bestSoFar(this.#targetNumbers, numbersOf(starts), this.goal) : null;
  });

  cellOf(column: string, row: number): LineageCell {
    if (column === RANK) return this.#ranks?.[row] ?? null;
    if (column === BEST) return this.#best?.[row] ?? null;
    return this.table?.columns.get(column)?.cells[row] ?? null;
  }

  /** What a column sorts a run by, or several runs together: their facts, what people noted, the lineage of a run. */
  sortCell(column: string, facts: RunFacts): LineageCell {
    if (column === NOTES) return notesText(annotations.notesOf(facts.id)) || null;
    const fact = FACT_COLUMNS.get(column);
    if (fact !== undefined) return factKey(facts, fact);
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

  /** The facts of a listed run. */
  factsOf(row: number): RunFacts {
    return runs.byId.get(this.runOf(row))!;
  }

  runOf(row: number): string {
    return this.table?.runs[row] ?? "";
  }
}

/** The goal that people chose for a column, else the one that its name suggests. */
export function goalOf(column: LineageColumn): Goal {
  return annotations.targets.get(column.id)?.goal ?? column.goal;
}

/** The target that was chosen last for this base directory. */
function rememberedTarget(): string | null {
  return [...annotations.targets].find(([, { is_chosen }]) => is_chosen)?.[0] ?? null;
}

/** Makes a column the target, for everybody who looks at this base directory. */
export async function chooseTarget(column: LineageColumn, goal: Goal): Promise<void> {
  view.setLineage({ target: column.id });
  const others = [...annotations.targets].filter(([id, { is_chosen }]) => is_chosen && id !== column.id);
  if (!annotations.isWritable) return;
  for (const [id, other] of others) await annotations.putTarget(id, { goal: other.goal, is_chosen: false });
  await annotations.putTarget(column.id, { goal, is_chosen: true });
}

export const modelLineage = new ModelLineage();
