// SPDX-License-Identifier: Apache-2.0
import type { LineageCell } from "../../core/lineage/column";
import type { RunFacts } from "../../core/runs/runTable";
import type { FileColumn } from "../../core/tables/fileColumns";
import { annotations } from "../../state/annotations/annotations.svelte";
import { runs } from "../../state/data/runs.svelte";
import { CURVE, NOTES } from "../../state/view/modelLineage.svelte";
import { ISSUES, type RunColumn } from "./runColumns";

/** A column of the table of runs in a file; one that shows two things together is two. */
export function fileColumns({ id, source, cell }: RunColumn): FileColumn[] {
  if (id === NOTES) {
    return [
      { id: "fact/labels", cellOf: (run) => (annotations.notesOf(run)?.tags ?? []).join(" ") || null },
      { id: "fact/note", cellOf: (run) => annotations.notesOf(run)?.note || null },
    ];
  }
  if (id === CURVE) return [];
  if (id === ISSUES) return [ofFacts("fact/damages", ({ damages }) => damages), ofFacts("fact/dropped", ({ dropped }) => dropped)];
  return [source ? { id, cellOf: null } : ofFacts(id, cell)];
}

function ofFacts(id: string, cell: (facts: RunFacts) => LineageCell): FileColumn {
  return {
    id,
    cellOf: (run) => {
      const facts = runs.byId.get(run);
      return facts ? cell(facts) : null;
    },
  };
}
