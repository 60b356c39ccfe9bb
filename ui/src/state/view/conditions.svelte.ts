// SPDX-License-Identifier: Apache-2.0
import { passingRows } from "../../core/lineage/brushes";
import { lineage, matchingRuns } from "../data/lineage.svelte";
import type { Problem } from "../requests/problem";
import { Resource } from "../requests/resource.svelte";
import { scalarColumns } from "./scalarColumns.svelte";
import { useLineage } from "./useLineage";
import { view } from "./view.svelte";

/** Conditions on the lineage of runs: an expression, which the server evaluates, and brushes of the charts. */
class Conditions {
  readonly #answer = new Resource(matchingRuns);

  hasBrushes = $derived(view.list.brushes.size > 0);
  isSet = $derived(view.list.where.trim() !== "" || this.hasBrushes);

  /** No run matches yet, because the first answer is on its way. */
  isPending = $derived(
    (view.list.where.trim() !== "" && this.#answer.value === null && this.#answer.problem === null) ||
      (this.hasBrushes && lineage.table === null && lineage.problem === null),
  );

  /** For each row of the table 1 if its run passes the brushes; null without brushes. */
  passing = $derived.by<Uint8Array | null>(() => {
    const { table } = lineage;
    return this.hasBrushes && table ? passingRows(table.columns.values(), view.list.brushes, table.runs.length) : null;
  });

  /** Why the expression can't be evaluated; every run meets it then, so that nothing disappears while typing. */
  get problem(): Problem | null {
    return view.list.where.trim() === "" ? null : this.#answer.problem;
  }

  /** Requests what the conditions need; call it in an effect. */
  follow(): (() => void) | undefined {
    const where = view.list.where.trim();
    if (where !== "") this.#answer.request({ where, scalars: scalarColumns.patterns ?? scalarColumns.patternsWith(where) });
    else this.#answer.release();
    return this.hasBrushes ? useLineage() : undefined;
  }

  matches(run: string): boolean {
    return this.matchesExpression(run) && this.#isBrushed(run);
  }

  matchesExpression(run: string): boolean {
    if (view.list.where.trim() === "" || this.problem?.isUnreachable === false) return true;
    return this.#answer.value?.has(run) ?? false;
  }

  #isBrushed(run: string): boolean {
    if (!this.hasBrushes) return true;
    const row = lineage.table?.rowOf.get(run);
    return row !== undefined && this.passing?.[row] === 1;
  }
}

export const conditions = new Conditions();
