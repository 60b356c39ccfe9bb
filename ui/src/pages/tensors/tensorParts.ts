// SPDX-License-Identifier: Apache-2.0
import "./tensorWords";
import { heatCanvas, ODD_COLORS } from "../../charts/heat/heatCanvas";
import { themedImage } from "../../charts/export/themedImage";
import { formatCell, shortCell } from "../../core/text/cellText";
import { formatValue, groupDigits } from "../../core/text/format";
import { colorRange, endLabels, indexAt, oddKinds, type Heat, type Span } from "../../core/series/heat";
import { jsonNumbers } from "../../core/tables/json";
import { t } from "../../i18n/i18n.svelte";
import type { CellsPart, TablePart } from "../../export/html/model";
import type { TensorStatistics, TensorWindow } from "../../state/data/values.svelte";
import { view } from "../../state/view/view.svelte";

/** A heat map with the meaning of its colors. */
export function heatPart(heat: Heat, label: string, dtype: string): CellsPart {
  const range = colorRange(heat, view.values.isWholeRange);
  const ends = range && endLabels(range, dtype === "bool" ? (number) => (number === 0 ? "False" : "True") : formatValue);
  const marks = oddKinds(heat).map(({ kind, name }) => ({ color: ODD_COLORS[kind - 1]!, name }));
  const values = {
    shape: heat.shape,
    cells: heat.cells,
    is_reduced: heat.is_reduced,
    minimum: heat.minimum,
    maximum: heat.maximum,
    values: jsonNumbers(cellNumbers(heat)),
  };
  const legend = ends || marks.length > 0 ? { low: ends?.[0] ?? "", high: ends?.[1] ?? "", marks } : null;
  const cells = imageSize(heat);
  return { kind: "cells", label, ...themedImage((rgb) => scaled(heatCanvas(heat, range, rgb), cells)), cells, over: "", legend, values };
}

/** Pixels across and down: one a cell, and more along the side where the cells of a reduced matrix cover more elements. */
function imageSize({ shape, cells: [rows, columns] }: Heat): [number, number] {
  const block = shape[0] / rows / (shape[1] / columns);
  return [Math.round(columns * Math.max(1, 1 / block)), Math.round(rows * Math.max(1, block))];
}

function scaled(cells: HTMLCanvasElement, [width, height]: readonly [number, number]): HTMLCanvasElement {
  if (cells.width === width && cells.height === height) return cells;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const ctx = canvas.getContext("2d")!;
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(cells, 0, 0, width, height);
  return canvas;
}

const ODD_NUMBERS = [NaN, Infinity, -Infinity];

function cellNumbers({ value, odd }: Heat): number[] {
  return Array.from(value, (number, cell) => (odd[cell]! > 0 ? ODD_NUMBERS[odd[cell]! - 1]! : number));
}

/** Facts of a heat map: the dimensions it shows, and whether its cells cover several elements. */
export function heatFacts({ rows, columns, is_reduced, shape, cells }: Heat): string[] {
  const place = (span: Span, key: "tensors.rows" | "tensors.columns"): string[] =>
    span.dimension === null
      ? []
      : [t(key, { n: span.dimension, first: indexAt(span, 0), last: indexAt(span, Math.max(0, span.size - 1)) })];
  const reduced = is_reduced ? [t("tensors.reduced_title", { rows: shape[0], columns: shape[1], cells: `${cells[0]} × ${cells[1]}` })] : [];
  return [...place(rows, "tensors.rows"), ...place(columns, "tensors.columns"), ...reduced];
}

/** The cells of a slice that were read, as the page writes them. */
export function windowPart({ cells, rows, columns, row, column }: TensorWindow, label: string): TablePart {
  const { decimals, isScientific } = view.values;
  const head = (span: Span, index: number): string => (span.dimension === null ? t("tip.value") : groupDigits(indexAt(span, index)));
  const down = rows.dimension === null ? "" : `${rows.dimension}↓`;
  const across = columns.dimension === null ? "" : `${columns.dimension}→`;
  return {
    kind: "table",
    label,
    columns: [
      { title: `${down} ${across}`.trim(), isNumber: false },
      ...(cells[0] ?? []).map((_, index) => ({ title: head(columns, column + index), isNumber: true })),
    ],
    rows: cells.map((line, index) => {
      const name = rows.dimension === null ? "" : groupDigits(indexAt(rows, row + index));
      return {
        color: null,
        cells: [
          { text: name, value: rows.dimension === null ? null : indexAt(rows, row + index) },
          ...line.map((cell) => ({ text: formatCell(cell, decimals, isScientific), value: cell })),
        ],
      };
    }),
  };
}

/** Statistics of the slice and of the whole tensor beside each other. */
export function statisticsPart(slice: TensorStatistics, whole: TensorStatistics): TablePart {
  const row = (name: string, of: (one: TensorStatistics) => string, value: (one: TensorStatistics) => string | number | null) => ({
    color: null,
    cells: [{ text: name, value: name }, ...[slice, whole].map((one) => ({ text: of(one), value: value(one) }))],
  });
  const counted = (name: string, of: (one: TensorStatistics) => number) => row(name, (one) => groupDigits(of(one)), of);
  return {
    kind: "table",
    label: t("tensors.statistics"),
    columns: [
      { title: t("tensors.statistics"), isNumber: false },
      { title: t("tensors.of_slice"), isNumber: true },
      { title: t("tensors.of_whole"), isNumber: true },
    ],
    rows: [
      row(
        t("tensors.shape"),
        ({ shape }) => (shape.length > 0 ? shape.join(" × ") : t("tensors.one_value")),
        ({ shape }) => shape.join(" "),
      ),
      counted(t("tensors.count"), ({ count }) => count),
      row(
        t("tensors.minimum"),
        ({ minimum }) => shortCell(minimum),
        ({ minimum }) => minimum,
      ),
      row(
        t("tensors.maximum"),
        ({ maximum }) => shortCell(maximum),
        ({ maximum }) => maximum,
      ),
      row(
        t("tensors.mean"),
        ({ mean }) => formatValue(mean, 6),
        ({ mean }) => mean,
      ),
      row(
        t("tensors.deviation"),
        ({ deviation }) => formatValue(deviation, 6),
        ({ deviation }) => deviation,
      ),
      counted(t("tensors.zeros"), ({ zeros }) => zeros),
      counted("NaN", ({ nan }) => nan),
      counted("+Inf", (one) => one.positive_infinity),
      counted("\u2212Inf", (one) => one.negative_infinity),
    ],
  };
}
