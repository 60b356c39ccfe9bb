// SPDX-License-Identifier: Apache-2.0
import { orderedBy } from "./order";
import type { Figure } from "./compareView";

export type FigureCell = number | string | boolean | null;

/** A column: a parameter by its number among all of them, or a figure of a tag by its number. The other is -1. */
export interface FigureColumn {
  key: string;
  title: string;
  part: string;
  parameter: number;
  tag: number;
  figure: Figure | null;
}

export interface FigureRow {
  run: string;
  cells: FigureCell[];
}

type Figures = Readonly<Record<Figure, number | string | null>> & { run: number; tag: number };

interface Facts {
  /** Cells of all parameters by run. */
  parameters: ReadonlyMap<string, readonly FigureCell[]>;
  /** By the numbers of run and tag. */
  series: readonly Figures[];
}

/** One row a run, in their order or sorted by a column; runs without a value stand last. */
export function figureTable(
  runs: readonly string[],
  columns: readonly FigureColumn[],
  facts: Facts,
  sort: { column: string; isDescending: boolean } | null,
): FigureRow[] {
  const figures = new Map(facts.series.map((series) => [`${series.run} ${series.tag}`, series]));
  const rows = runs.map((run, index) => {
    const parameters = facts.parameters.get(run);
    const cells = columns.map(({ parameter, tag, figure }) =>
      figure === null ? (parameters?.[parameter] ?? null) : numberOf(figures.get(`${index} ${tag}`)?.[figure] ?? null),
    );
    return { run, cells };
  });
  const column = columns.findIndex(({ key }) => key === sort?.column);
  return sort && column >= 0 ? orderedBy(rows, (row) => sortable(row.cells[column] ?? null), sort.isDescending) : rows;
}

/** The server's words for values that JSON has no number for. */
function numberOf(cell: number | string | null): number | null {
  return typeof cell === "string" ? Number(cell) : cell;
}

/** NaN stands with what is missing: it has no place among numbers. */
function sortable(cell: FigureCell): string | number | null {
  if (Number.isNaN(cell)) return null;
  return typeof cell === "boolean" ? String(cell) : cell;
}
