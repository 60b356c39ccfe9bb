// SPDX-License-Identifier: Apache-2.0
import { runs } from "../../state/data/runs.svelte";
import { modelLineage } from "../../state/view/modelLineage.svelte";
import { selection } from "../../state/view/selection.svelte";
import { view } from "../../state/view/view.svelte";

/** What a run is compared with: the other of two shown ones, else the best of the others, else its neighbor in the list. */
function counterpart(run: string): string | null {
  const others = selection.shown.filter((id) => id !== run);
  if (others.length === 1 && selection.isShown(run)) return others[0]!;
  const at = runs.ids.indexOf(run);
  return modelLineage.bestBeside(run) ?? runs.ids[at - 1] ?? runs.ids[at + 1] ?? null;
}

/** Compares a run with another one: by default the one that a person most likely means. */
export function openComparison(run: string, other = counterpart(run)): void {
  if (other !== null) view.setLineage({ pair: [run, other] });
}

/** Compares the two shown runs; of more or fewer, the run of the dashboard or the first one with its counterpart. */
export function compareShown(): void {
  const [one, other] = selection.shown;
  const first = view.dashboard.run ?? one ?? runs.ids[0];
  if (selection.shown.length === 2) openComparison(one!, other!);
  else if (first !== undefined) openComparison(first);
}
