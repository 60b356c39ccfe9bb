// SPDX-License-Identifier: Apache-2.0
import { fetchCsv } from "../../api/routes";
import { isFormula, type ChartPart } from "../../core/view/chartPlan";
import { csvToColumns, prefixColumns } from "../../core/tables/csv";
import { formulaCsv } from "./formulaExport";

/** Every point of these tags and formulas as one table: run, (tag,) step, wall_time, value. Raises what the request raises. */
export async function scalarCsv(parts: readonly ChartPart[]): Promise<string> {
  const tables: string[] = [];
  for (const { name, runs } of parts) {
    for (const run of runs) {
      const columns = parts.length > 1 ? { run, tag: name } : { run };
      tables.push(prefixColumns(await pointsOf(run, name), columns, tables.length === 0));
    }
  }
  return tables.join("");
}

/** The same as JSON: a list of series with their columns. Values that JSON has no number for are texts. */
export async function scalarJson(parts: readonly ChartPart[]): Promise<string> {
  const series: unknown[] = [];
  for (const { name, runs } of parts) {
    for (const run of runs) series.push({ run, tag: name, ...csvToColumns(await pointsOf(run, name)) });
  }
  return `${JSON.stringify(series)}\n`;
}

function pointsOf(run: string, name: string): Promise<string> {
  return isFormula(name) ? formulaCsv(run, name) : fetchCsv({ run, tag: name });
}
