// SPDX-License-Identifier: Apache-2.0
/** What is saved of a chart or a table: NaN, where nothing was recorded, is an empty cell. */
interface SavedTable {
  header: string[];
  rows: (string | number | null)[][];
}

function cell(value: number | null | undefined): number | null {
  return value === undefined || value === null || Number.isNaN(value) ? null : value;
}

/** A figure of a tensor over steps. */
export function curveTable(figure: string, step: ArrayLike<number>, value: ArrayLike<number>, nonFinite: ArrayLike<number>): SavedTable {
  const rows = Array.from({ length: step.length }, (_, row) => [step[row]!, cell(value[row]), cell(nonFinite[row])]);
  return { header: ["step", figure, "non_finite"], rows };
}

/** A heat map: a row for each row of cells, a column for each step. */
export function heatTable(names: readonly string[], step: ArrayLike<number>, value: ArrayLike<number>): SavedTable {
  const columns = Array.from({ length: step.length }, (_, column) => column);
  return {
    header: ["tensor", ...columns.map((column) => String(step[column]))],
    rows: names.map((name, row) => [name, ...columns.map((column) => cell(value[column * names.length + row]))]),
  };
}

/** Tensors of a step with their figures, in the order of a table. */
export function rowsTable<Tensor>(
  pages: readonly { tensors: readonly Tensor[]; figures: Readonly<Record<string, Float64Array>> }[],
  texts: readonly string[],
  textOf: (tensor: Tensor, column: string) => string,
  figures: readonly string[],
): SavedTable {
  return {
    header: [...texts, ...figures],
    rows: pages.flatMap((page) =>
      page.tensors.map((tensor, place) => [
        ...texts.map((column) => textOf(tensor, column)),
        ...figures.map((figure) => cell(page.figures[figure]?.[place])),
      ]),
    ),
  };
}
