// SPDX-License-Identifier: Apache-2.0
import { RUN_COLUMN } from "../lineage/tableColumns";
import type { ColumnSort } from "./columnSort";
import { formatSetting, formatValue } from "../text/format";
import { sortedByColumns } from "./sortByColumns";

export const FIGURES = ["first", "last", "minimum", "maximum", "mean"] as const;

export type Figure = (typeof FIGURES)[number];

export type FigureCell = number | string | boolean | null;

/** A column: a parameter by its number among them, or a figure of a tag by its number. The other is -1. */
export interface FigureColumn {
  key: string;
  /** Name of the parameter or of the tag. */
  title: string;
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

/** The figures of each tag, those of a tag beside each other. */
export function figureColumns(tags: readonly string[], figures: readonly Figure[]): FigureColumn[] {
  return tags.flatMap((title, tag) => figures.map((figure) => ({ key: `scalar/${title} ${figure}`, title, parameter: -1, tag, figure })));
}

/** A cell in words: figures by their digits, parameters as they were set. */
export function figureText(cell: FigureCell, isFigure: boolean): string {
  if (cell === null) return "–";
  if (typeof cell !== "number") return String(cell);
  return isFigure ? formatValue(cell, 5) : formatSetting(cell);
}

/** One row per run, in their order or sorted by columns; runs without a value are last. */
export function figureTable(
  runs: readonly string[],
  columns: readonly Pick<FigureColumn, "key" | "parameter" | "tag" | "figure">[],
  facts: Facts,
  sort: readonly ColumnSort[],
): FigureRow[] {
  const figures = new Map(facts.series.map((series) => [`${series.run} ${series.tag}`, series]));
  const rows = runs.map((run, index) => {
    const parameters = facts.parameters.get(run);
    const cells = columns.map(({ parameter, tag, figure }) =>
      figure === null ? (parameters?.[parameter] ?? null) : numberOf(figures.get(`${index} ${tag}`)?.[figure] ?? null),
    );
    return { run, cells };
  });
  const places = new Map(columns.map(({ key }, place) => [key, place]));
  return sortedByColumns(rows, sort, (column, { run, cells }) => (column === RUN_COLUMN ? run : (cells[places.get(column) ?? -1] ?? null)));
}

/** The server's words for values that JSON has no number for. */
function numberOf(cell: number | string | null): number | null {
  return typeof cell === "string" ? Number(cell) : cell;
}
