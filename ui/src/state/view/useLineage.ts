// SPDX-License-Identifier: Apache-2.0
import { lineage } from "../data/lineage.svelte";
import { scalarColumns } from "./scalarColumns.svelte";

/** Requests the table of all runs with the scalars of the view. Call it in an effect; the returned function ends the use. */
export function useLineage(): () => void {
  scalarColumns.request();
  return lineage.use(scalarColumns.patterns);
}
