// SPDX-License-Identifier: Apache-2.0
import { fetchCsv } from "../api/routes";
import { prefixRun } from "../core/csv";

/** Every point of a tag in these runs as one table: run, step, wall_time, value. Raises what the request raises. */
export async function scalarCsv(tag: string, runs: readonly string[]): Promise<string> {
  const tables: string[] = [];
  for (const run of runs) tables.push(prefixRun(await fetchCsv({ run, tag }), run, tables.length === 0));
  return tables.join("");
}
