// SPDX-License-Identifier: Apache-2.0
import { lineage } from "../data/lineage.svelte";
import { view } from "./view.svelte";

/** Requests the table of all runs with the scalars of the view. Call it in an effect; the returned function ends the use. */
export function useLineage(): () => void {
  return lineage.use(view.lineage.scalars);
}
