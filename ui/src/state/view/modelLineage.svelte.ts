// SPDX-License-Identifier: Apache-2.0
import { numbersOf, type Goal, type LineageCell, type LineageColumn } from "../../core/lineage/column";
import { bestSoFar, ranksOf, type LineageTable } from "../../core/lineage/lineageTable";
import { proposedTarget, tableColumns } from "../../core/lineage/tableColumns";
import { sortedByColumns } from "../../core/tables/sortByColumns";
import { matcherFor } from "../../core/text/textFilter";
import { annotations } from "../annotations/annotations.svelte";
import { lineage } from "../data/lineage.svelte";
import { runs } from "../data/runs.svelte";
import { conditions } from "./conditions.svelte";
import { searchedText, selection } from "./selection.svelte";
import { view } from "./view.svelte";

/** Columns that are computed from the target. */
export const RANK = "target:rank";
export const BEST = "target:best";

const NO_ROWS: readonly number[] = [];

/** What the page Model lineage shows of the table of all runs. */
class ModelLineage {
  table = $derived<LineageTable | null>(lineage.table);

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
    const { rows } = view.lineage;
    if (rows === "all") return this.candidates;
    return this.candidates.filter((row) => selection.isShown(this.runOf(row)) === (rows === "selected"));
  });

  /** What is drawn and passes the brushes. */
  passing = $derived.by<readonly number[]>(() => {
    const { passing } = conditions;
    return passing ? this.drawn.filter((row) => passing[row] === 1) : this.drawn;
  });

  columns = $derived.by<LineageColumn[]>(() => {
    const { columns, onlyDiffering } = view.lineage;
    return this.table ? tableColumns(this.table, { columns, onlyDiffering, target: this.target?.id ?? null }) : [];
  });

  /** Rows of the table on the page, in their order. */
  rows = $derived.by<readonly number[]>(() => {
    const { sort } = view.lineage;
    return sort.length > 0 ? sortedByColumns(this.passing, sort, (column, row) => this.cellOf(column, row)) : this.passing;
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
