// SPDX-License-Identifier: Apache-2.0
import "./tensorWords";
import { bucketDrawing } from "../../charts/export/barDrawings";
import { shortCell } from "../../core/text/cellText";
import { formatBytes, formatValue, groupDigits } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, NoticePart, Part, Setting } from "../../export/html/model";
import { readHeat, readTensor, readTensorStatistics, readWindow } from "../../state/data/exportReads";
import { tensorLists, type SliceKey, type TensorFacts, type TensorStatistics, type ValueList } from "../../state/data/values.svelte";
import { view } from "../../state/view/view.svelte";
import { savedMedia, type ShownValue } from "../../export/stepCards";
import { heatFacts, heatPart, statisticsPart, windowPart } from "./tensorParts";

/** Cells of a table in the file. */
const WINDOW = { row: 0, rows: 64, column: 0, columns: 24 };
const CELLS = { preview: [96, 192], whole: [400, 800] } as const;
const BINS = 60;
/** Of a larger tensor only the slice that is drawn is read. */
const LARGE = 4_000_000;
const SIZE = { width: 720, height: 320 };

export const tensorMedia = savedMedia({ source: tensorLists, read, readFull, isFullWide: true, settings });

function settings(isFull: boolean): Setting[] {
  const { mode, slice } = view.values;
  if (!isFull) return [];
  return [
    { name: t("tensors.mode"), value: t(`tensors.mode_${mode}`) },
    ...(slice ? [{ name: t("tensors.slice"), value: `[${slice.join(", ")}]` }] : []),
  ];
}

function factsOf({ dtype, is_text: isText, shape, size_bytes: size, is_exact: isExact }: TensorFacts): string[] {
  return [
    isText ? t("tensors.text") : dtype,
    shape.length > 0 ? shape.join(" × ") : t("tensors.one_value"),
    formatBytes(size),
    ...(isExact ? [] : [t("tensors.inexact")]),
  ];
}

/** What a card shows: a small map, or the first cells of what has none. */
export async function read({ key }: ShownValue<ValueList>, signal: AbortSignal): Promise<CardContent> {
  const facts = await readTensor(key, signal);
  const slice = facts.size > LARGE ? facts.slice : null;
  const numbers = await readTensorStatistics({ ...key, slice }, 0, signal);
  const isMap = !facts.is_text && facts.size > 1;
  const part = isMap
    ? await mapOf({ ...key, slice: null }, facts, "preview", signal)
    : await tableOf({ ...key, slice: null }, { row: 0, rows: 12, column: 0, columns: 6 }, signal);
  return { facts: [...factsOf(facts), ...summary(numbers)], parts: part.parts };
}

function summary(numbers: TensorStatistics): string[] {
  if (numbers.minimum === null) return [];
  const { nan, positive_infinity: above, negative_infinity: below } = numbers;
  const odd = [
    [nan, "NaN"],
    [above, "+Inf"],
    [below, "\u2212Inf"],
  ] as const;
  return [
    `${t("tensors.minimum")} ${shortCell(numbers.minimum)}`,
    `${t("tensors.mean")} ${formatValue(numbers.mean)}`,
    `${t("tensors.maximum")} ${shortCell(numbers.maximum)}`,
    ...odd.flatMap(([count, name]) => (count > 0 ? [`${groupDigits(count)} ${name}`] : [])),
  ];
}

/** The chosen view of the slice, and statistics of the slice and of the whole. */
async function readFull({ key }: ShownValue<ValueList>, signal: AbortSignal): Promise<CardContent> {
  const facts = await readTensor(key, signal);
  const slice: SliceKey = { ...key, slice: view.values.slice ?? facts.slice };
  const { mode, isOfWhole } = view.values;
  if (facts.is_text) {
    const table = await tableOf(slice, WINDOW, signal);
    return { facts: [...factsOf(facts), ...table.facts], parts: table.parts };
  }
  const [ofSlice, ofWhole] = await Promise.all([
    readTensorStatistics(slice, BINS, signal),
    readTensorStatistics({ ...key, slice: null }, BINS, signal),
  ]);
  const shown =
    mode === "heat"
      ? await mapOf(slice, facts, "whole", signal)
      : mode === "table"
        ? await tableOf(slice, WINDOW, signal)
        : histogramOf(slice, isOfWhole ? ofWhole : ofSlice);
  return { facts: [...factsOf(facts), ...shown.facts], parts: [...shown.parts, statisticsPart(ofSlice, ofWhole)] };
}

async function mapOf(
  slice: SliceKey,
  { dtype }: TensorFacts,
  extent: keyof typeof CELLS,
  signal: AbortSignal,
): Promise<{ facts: string[]; parts: Part[] }> {
  const [rows, columns] = CELLS[extent];
  const heat = await readHeat(slice, rows, columns, signal);
  if (heat.cells[0] === 0 || heat.cells[1] === 0) return { facts: [], parts: [nothing()] };
  return { facts: heatFacts(heat), parts: [heatPart(heat, t("tensors.heat_label", { tag: slice.tag, run: slice.run }), dtype)] };
}

async function tableOf(slice: SliceKey, place: typeof WINDOW, signal: AbortSignal): Promise<{ facts: string[]; parts: Part[] }> {
  const got = await readWindow(slice, place, signal);
  const [rows, columns] = [got.cells.length, got.cells[0]?.length ?? 0];
  if (rows === 0 || columns === 0) return { facts: [], parts: [nothing()] };
  const isPart = rows < got.rows.size || columns < got.columns.size;
  const part = t("saved.part_rows", {
    first: 0,
    last: rows - 1,
    rows: groupDigits(got.rows.size),
    from: 0,
    to: columns - 1,
    columns: groupDigits(got.columns.size),
  });
  return { facts: isPart ? [part] : [], parts: [windowPart(got, t("tensors.table_label", { tag: slice.tag, run: slice.run }))] };
}

function histogramOf({ tag, run }: SliceKey, { edges, counts }: TensorStatistics): { facts: string[]; parts: Part[] } {
  if (counts.length === 0) return { facts: [], parts: [{ kind: "notice", tone: "note", text: t("tensors.no_numbers") }] };
  return {
    facts: [],
    parts: [
      {
        kind: "drawing",
        label: t("tensors.histogram_label", { tag, run }),
        drawing: bucketDrawing({ edges, counts }, SIZE),
        values: { edges, counts },
      },
    ],
  };
}

function nothing(): NoticePart {
  return { kind: "notice", tone: "note", text: t("tensors.nothing") };
}
