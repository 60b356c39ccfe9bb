// SPDX-License-Identifier: Apache-2.0
import { isNumeric } from "../../core/lineage/tableColumns";
import type { ColumnGroup, LineageCell, LineageColumn } from "../../core/lineage/column";
import { formatSetting } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";
import { annotations, notesText } from "../../state/annotations/annotations.svelte";
import { BEST, modelLineage, RANK } from "../../state/view/modelLineage.svelte";
import { cellWords, columnTitle } from "../../widgets/tables/lineageWords";

/** A column of the page: one of the lineage, or one that is computed from the target. */
export interface ShownColumn {
  id: string;
  title: string;
  /** Null for a computed column. */
  group: ColumnGroup | null;
  isNumber: boolean;
  differs: boolean;
  source: LineageColumn | null;
  cell: (row: number) => LineageCell;
  text: (cell: LineageCell) => string;
}

/** The column of notes and labels that people add. */
export const NOTES = "notes";

/** Columns that no file has: those of the target, and the notes. */
export const COMPUTED: readonly string[] = [RANK, BEST, NOTES];

export function shownColumn(column: LineageColumn): ShownColumn {
  return {
    id: column.id,
    title: columnTitle(column),
    group: column.group,
    isNumber: isNumeric(column),
    differs: column.differs,
    source: column,
    cell: (row) => column.cells[row] ?? null,
    text: (cell) => cellWords(column, cell),
  };
}

/** A computed column; null if it is none, or if there is no target. */
export function computedColumn(id: string): ShownColumn | null {
  const base = { id, group: null, differs: true, source: null } as const;
  if (id === NOTES) {
    const notesOf = (row: number): string => notesText(annotations.notesOf(modelLineage.runOf(row)));
    return {
      ...base,
      title: t("runs.column.notes"),
      isNumber: false,
      cell: (row) => notesOf(row) || null,
      text: (cell) => String(cell ?? ""),
    };
  }
  const { target } = modelLineage;
  if (!target || !COMPUTED.includes(id)) return null;
  const cell = (row: number): ReturnType<ShownColumn["cell"]> => modelLineage.cellOf(id, row);
  if (id === RANK)
    return {
      ...base,
      title: t("lineage.rank"),
      isNumber: true,
      cell,
      text: (value) => (typeof value === "number" ? formatSetting(value) : "–"),
    };
  return { ...base, title: t("lineage.best"), isNumber: true, cell, text: (value) => cellWords(target, value) };
}
