// SPDX-License-Identifier: Apache-2.0
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, Setting, ViewPlan } from "../../export/html/model";
import { filterSetting, namedRuns } from "../../export/selectedRuns";
import { tableContent } from "../../export/tablePart";
import { colors } from "../../state/view/runColors.svelte";
import { modelLineage } from "../../state/view/modelLineage.svelte";
import { view } from "../../state/view/view.svelte";
import type { KindDescriptor } from "../previews/kind";
import { orderWords, plannedRunColumns } from "../runs/plannedRunColumns";
import type { RunColumn } from "../runs/runColumns";

/** The table of the page, with its rows and columns in their order. */
export function lineageExport(columns: readonly RunColumn[], kinds: readonly KindDescriptor[]): ViewPlan {
  const title = t("nav.model_lineage");
  const rows = modelLineage.rows;
  const { where } = view.list;
  const { sort } = view.table;
  const settings: Setting[] = [
    ...filterSetting(view.list.filter),
    ...(where.trim() === "" ? [] : [{ name: t("lineage.where"), value: where }]),
    ...(modelLineage.target ? [{ name: t("lineage.target"), value: modelLineage.target.id }] : []),
    ...(sort.length > 0 ? [{ name: t("side.sort"), value: orderWords(sort, columns) }] : []),
  ];
  return {
    page: "lineage",
    title,
    runs: namedRuns(rows.map((row) => modelLineage.runOf(row))),
    settings,
    sections: [{ title, cards: [{ title, run: null, isWide: true, make: () => Promise.resolve(content(columns, rows, kinds)) }] }],
  };
}

function content(columns: readonly RunColumn[], rows: readonly number[], kinds: readonly KindDescriptor[]): CardContent {
  if (rows.length === 0) return { facts: [], parts: [{ kind: "notice", tone: "note", text: t("runs.no_match") }] };
  const runs = rows.map((row) => modelLineage.factsOf(row));
  return tableContent(t("nav.model_lineage"), plannedRunColumns(columns, kinds), runs, ({ id }) => colors.of(id));
}
