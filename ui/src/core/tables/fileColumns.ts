// SPDX-License-Identifier: Apache-2.0
import { numberOf, type ColumnGroup, type LineageCell } from "../lineage/column";

/** A column of a file of runs, by its id. */
export interface FileColumn {
  id: string;
  /** Its cells by run; null for a column of the lineage, whose cells the server knows. */
  cellOf: ((run: string) => LineageCell) | null;
}

/** A column that only the page has, as the server takes it. */
export interface FurtherColumn {
  group: ColumnGroup;
  name: string;
  cells: LineageCell[];
  /** If given, cells are positions in it. */
  choices?: LineageCell[];
}

/** The columns of a file whose cells the server does not know. Their ids begin with their group. */
export function furtherColumns(columns: readonly FileColumn[], runs: readonly string[]): FurtherColumn[] {
  return columns.flatMap(({ id, cellOf }) => {
    if (!cellOf) return [];
    const slash = id.indexOf("/");
    return [{ group: id.slice(0, slash) as ColumnGroup, name: id.slice(slash + 1), ...packed(runs.map(cellOf)) }];
  });
}

/** Texts that many runs share are sent once: 10,000 runs have few data pipelines, and each is long. */
function packed(cells: readonly LineageCell[]): Pick<FurtherColumn, "cells" | "choices"> {
  const places = new Map<LineageCell, number>();
  for (const cell of cells) if (typeof cell === "string" && !places.has(cell)) places.set(cell, places.size);
  const isRepeated = places.size > 0 && places.size * 2 <= cells.length && cells.every((cell) => cell === null || typeof cell === "string");
  if (!isRepeated) return { cells: cells.map(jsonCell) };
  return { cells: cells.map((cell) => (cell === null ? null : places.get(cell)!)), choices: [...places.keys()] };
}

/** JSON has no NaN and no infinities. */
function jsonCell(cell: LineageCell): LineageCell {
  const number = typeof cell === "number" ? numberOf(cell) : 0;
  return Number.isFinite(number) ? cell : { number: String(number) };
}
