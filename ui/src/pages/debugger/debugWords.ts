// SPDX-License-Identifier: Apache-2.0
import { shapeText } from "../../core/debugger/figureText";
import type { TableColumn } from "../../core/tables/tableColumn";
import { debuggerTexts } from "../../i18n/en/debugger";
import { addEnglish, textOr, t } from "../../i18n/i18n.svelte";
import type { DebugTensor } from "../../state/data/debugger";

addEnglish(debuggerTexts);

/** Figures that the table shows unless other columns are chosen. */
const USUAL = ["nan", "positive_inf", "negative_inf", "min", "max", "mean", "norm", "zero_share", "update_ratio"];
const TEXTS = ["type", "phase", "role", "slot", "dtype", "shape", "module", "source_line"] as const;
const [FIRST_TEXTS, LAST_TEXTS] = [
  ["phase", "role", "slot"],
  ["dtype", "shape"],
];

type TextColumn = (typeof TEXTS)[number];

export function figureTitle(figure: string): string {
  return textOr(`debug.figure_${figure}`, figure);
}

export function textTitle(column: string): string {
  return textOr(`debug.column_${column}`, column);
}

/** All columns of the table beside the operator: texts, then figures. */
export function debugColumns(figures: readonly string[]): TableColumn[] {
  const plain = { band: null, differs: true };
  return [
    ...TEXTS.map((id) => ({ ...plain, id, title: textTitle(id), isNumber: false })),
    ...figures.map((id) => ({ ...plain, id, title: figureTitle(id), isNumber: true, isDrawn: true, descendsFirst: true })),
  ];
}

/** Those that are shown unless others are chosen. */
export function usualColumns(figures: readonly string[]): string[] {
  return [...FIRST_TEXTS, ...USUAL.filter((figure) => figures.includes(figure)), ...LAST_TEXTS];
}

export function isTextColumn(id: string): id is TextColumn {
  return (TEXTS as readonly string[]).includes(id);
}

/** A text of a tensor in words. */
export function tensorText(tensor: DebugTensor, column: TextColumn): string {
  if (column === "phase") return t(`debug.phase_${tensor.phase}`);
  if (column === "role") return t(`debug.role_${tensor.role}`);
  if (column === "shape") return shapeText(tensor.shape);
  return tensor[column] === "" ? "–" : tensor[column];
}

/** What a tensor is called in one line: operator, role and slot. */
export function tensorName(tensor: DebugTensor): string {
  return `${tensor.operator} · ${t(`debug.role_${tensor.role}`)} ${tensor.slot}`;
}
