// SPDX-License-Identifier: Apache-2.0
import { LINE, type Curve } from "../series/curve";
import type { components } from "../messages/schema";

export type SqlColumn = components["schemas"]["SqlColumn"];
type Cell = SqlColumn["values"][number];

/** The columns that a chart draws; `by` is null for one line. */
export interface ChartColumns {
  x: SqlColumn;
  y: SqlColumn;
  by: SqlColumn | null;
}

/** More lines would have colors that look alike. */
export const MOST_LINES = 10;

/** The columns of a choice, else the first that fit; null without two columns of numbers. */
export function chartColumns(
  columns: readonly SqlColumn[],
  chosen: { x: string | null; y: string | null; by: string | null },
): ChartColumns | null {
  const numbers = columns.filter((column) => column.is_number);
  const named = (name: string | null): SqlColumn | undefined => numbers.find((column) => column.name === name);
  const x = named(chosen.x) ?? numbers.find((column) => column !== named(chosen.y));
  const y = named(chosen.y) ?? numbers.find((column) => column !== x);
  if (!x || !y) return null;
  const by = columns.find((column) => !column.is_number && column.name === chosen.by) ?? null;
  return { x, y, by };
}

/** A line for each text of the column `by`, in the order of their first rows; each is sorted along the axis. */
export function sqlCurves({ x, y, by }: ChartColumns): { curves: Curve[]; leftOut: number } {
  const rows = new Map<string, number[]>();
  x.values.forEach((_, row) => {
    const name = by ? cellName(by.values[row] ?? null) : y.name;
    if (Number.isFinite(numberOf(x.values[row] ?? null))) (rows.get(name) ?? rows.set(name, []).get(name)!).push(row);
  });
  const lines = [...rows].slice(0, MOST_LINES).map(([name, some], index): Curve => {
    const sorted = [...some].sort((one, other) => numberOf(x.values[one]!) - numberOf(x.values[other]!));
    return {
      ...LINE,
      key: name,
      label: name,
      color: `var(--series-${index})`,
      x: Float64Array.from(sorted, (row) => numberOf(x.values[row]!)),
      raw: Float64Array.from(sorted, (row) => numberOf(y.values[row] ?? null)),
      smoothed: null,
      isAscending: true,
    };
  });
  return { curves: lines, leftOut: rows.size - lines.length };
}

/** A cell as a number; NaN for null and for texts. */
export function numberOf(cell: Cell): number {
  if (typeof cell === "number") return cell;
  return typeof cell === "string" && cell !== "" ? Number(cell) : NaN;
}

function cellName(cell: Cell): string {
  return cell === null ? "–" : String(cell);
}
