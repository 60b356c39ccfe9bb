// SPDX-License-Identifier: Apache-2.0
import type { Parameter } from "../lineage/parameterTable";
import type { ColumnSort } from "./columnSort";
import { formatSetting, formatValue } from "../text/format";
import { orderedBy } from "../text/naturalSort";

export const FIGURES = ["first", "last", "minimum", "maximum", "mean"] as const;

export type Figure = (typeof FIGURES)[number];

export type FigureCell = number | string | boolean | null;

/** A column: a parameter by its number among all of them, or a figure of a tag by its number. The other is -1. */
export interface FigureColumn {
  key: string;
  /** Name of the parameter or of the tag. */
  title: string;
  parameter: number;
  tag: number;
  figure: Figure | null;
}

/** Adjacent columns under one header: all parameters, or the figures of a tag. */
export interface ColumnGroup {
  key: string;
  /** The tag; null for parameters. */
  tag: string | null;
  size: number;
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

/** Parameters, without those that are equal in all runs unless they are wanted; then the figures of each tag. */
export function figureColumns(
  parameters: readonly Omit<Parameter, "group">[],
  showsEqual: boolean,
  tags: readonly string[],
  figures: readonly Figure[],
): FigureColumn[] {
  const ofRuns = parameters.flatMap(({ key, name, differs }, parameter) =>
    differs || showsEqual ? [{ key, title: name, parameter, tag: -1, figure: null }] : [],
  );
  const ofTags = tags.flatMap((title, tag) => figures.map((figure) => ({ key: `${figure} ${title}`, title, parameter: -1, tag, figure })));
  return [...ofRuns, ...ofTags];
}

/** A cell in words: figures by their digits, parameters as they were set. */
export function figureText(cell: FigureCell, isFigure: boolean): string {
  if (cell === null) return "–";
  if (typeof cell !== "number") return String(cell);
  return isFigure ? formatValue(cell, 5) : formatSetting(cell);
}

/** The groups that some neighboring columns form. */
export function columnGroups(columns: readonly FigureColumn[]): ColumnGroup[] {
  const groups: ColumnGroup[] = [];
  for (const { tag, title } of columns) {
    const last = groups.at(-1);
    if (last?.key === String(tag)) last.size++;
    else groups.push({ key: String(tag), tag: tag < 0 ? null : title, size: 1 });
  }
  return groups;
}

/** One row per run, in their order or sorted by a column; runs without a value are last. */
export function figureTable(runs: readonly string[], columns: readonly FigureColumn[], facts: Facts, sort: ColumnSort | null): FigureRow[] {
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

/** NaN sorts with missing values. */
function sortable(cell: FigureCell): string | number | null {
  if (Number.isNaN(cell)) return null;
  return typeof cell === "boolean" ? String(cell) : cell;
}
