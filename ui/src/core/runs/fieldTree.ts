// SPDX-License-Identifier: Apache-2.0
import type { ParameterCell } from "../lineage/parameterTable";
import { orderedBy } from "../text/naturalSort";
import { together, type RunOrder, type TreeFacts, type TreeRow } from "./runTree";

/** A field of the lineage by which runs are grouped. */
export interface RunField {
  name: string;
  /** Null for a run without the field. */
  valueOf: (run: string) => ParameterCell;
  /** Head of the runs that have no value. */
  without: string;
}

/** Lines of the list by the values of a field, in their order; runs without a value come last. */
export function fieldTree<Run extends TreeFacts>(
  runs: readonly Run[],
  { name, valueOf, without }: RunField,
  sorted: RunOrder,
  isClosed: (key: string) => boolean,
): TreeRow<Run>[] {
  const groups = new Map<ParameterCell, Run[]>();
  for (const run of sorted(runs)) {
    const value = valueOf(run.id);
    const members = groups.get(value);
    if (members) members.push(run);
    else groups.set(value, [run]);
  }
  const ordered = orderedBy([...groups], ([value]) => (typeof value === "boolean" ? String(value) : value), false);
  return ordered.flatMap(([value, members]) => {
    const key = `field ${name} ${value}`;
    const label = value === null ? without : `${name} = ${value}`;
    const head: TreeRow<Run> = { kind: "group", key, label, depth: 0, runs: members, facts: together(key, members) };
    if (isClosed(key)) return [head];
    return [head, ...members.map((run): TreeRow<Run> => ({ kind: "run", key: `run ${run.id}`, depth: 1, name: run.id, run }))];
  });
}
