// SPDX-License-Identifier: Apache-2.0
import { plainCell } from "../../core/lineage/parameterTable";
import type { RunFacts } from "../../core/runs/runTable";
import { hasBands } from "../../core/tables/tableColumn";
import type { ColumnSort } from "../../core/tables/columnSort";
import { t } from "../../i18n/i18n.svelte";
import type { PlannedColumn } from "../../export/tablePart";
import { CURVE } from "../../state/view/modelLineage.svelte";
import { DATA, type RunColumn } from "./runColumns";

/** The columns of the table of runs in a file, after the names. */
export function plannedRunColumns(columns: readonly RunColumn[]): PlannedColumn<RunFacts>[] {
  const written = columns.filter(({ id }) => id !== CURVE && id !== DATA);
  const isBanded = hasBands(written);
  const name: PlannedColumn<RunFacts> = { title: t("runs.column.name"), isNumber: false, value: ({ id }) => id, text: ({ id }) => id };
  const others = written.map((column): PlannedColumn<RunFacts> => {
    const { title, band, isNumber, cell, text, tip = text } = column;
    return {
      title,
      ...(isBanded && band ? { group: band.title } : {}),
      isNumber,
      value: (run) => plainCell(cell(run)),
      text: isNumber ? text : tip,
    };
  });
  return [name, ...others];
}

/** An order of rows in words. */
export function orderWords(sort: readonly ColumnSort[], columns: readonly RunColumn[]): string {
  const title = (id: string): string => columns.find((column) => column.id === id)?.title ?? (id === "run" ? t("runs.column.name") : id);
  return sort.map(({ column, isDescending }) => `${title(column)} ${isDescending ? "↓" : "↑"}`).join(", ");
}
