// SPDX-License-Identifier: Apache-2.0
import { pictureDrawing, type TitledPicture } from "../../charts/frame/picture";
import type { ColumnSort } from "../../core/tables/columnSort";
import { t } from "../../i18n/i18n.svelte";
import type { Part, PlannedCard, Setting, ViewPlan } from "../../export/html/model";
import type { Run } from "../../state/data/runs.svelte";
import { colors } from "../../state/view/runColors.svelte";
import { modelLineage } from "../../state/view/modelLineage.svelte";
import { view } from "../../state/view/view.svelte";
import { tableContent } from "../../export/tablePart";
import { filterSetting } from "../../export/selectedRuns";
import { orderWords, plannedRunColumns } from "./plannedRunColumns";
import type { RunColumn } from "./runColumns";

/** The list of runs that the filter lets through, in its order and with its columns; folded groups are open. */
export function runsExport(
  runs: readonly Run[],
  columns: readonly RunColumn[],
  sort: readonly ColumnSort[],
  /** Above the list; null where it is closed. */
  picture: TitledPicture | null,
): ViewPlan {
  const title = t("runs.title");
  const content = tableContent(title, plannedRunColumns(columns), runs, ({ id }) => colors.of(id));
  const drawn = picture ? [chartCard(picture)] : [];
  const listed = runs.length > 0 ? [{ title, run: null, isWide: true, make: () => Promise.resolve(content) }] : [];
  return {
    page: "runs",
    title,
    runs: [],
    settings: settings(columns, sort),
    sections: [{ title, cards: [...drawn, ...listed] }],
  };
}

function chartCard(picture: TitledPicture): PlannedCard {
  const { chart } = view.lineage;
  const title = chart === "none" ? "" : t(`lineage.chart_${chart}`);
  const part: Part = { kind: "drawing", label: title, drawing: pictureDrawing(picture(title)), isNatural: true, values: null };
  return { title, run: null, hasPrefix: false, isWide: true, make: () => Promise.resolve({ facts: [], parts: [part] }) };
}

function settings(columns: readonly RunColumn[], sort: readonly ColumnSort[]): Setting[] {
  const { filter, where, grouping } = view.list;
  return [
    ...filterSetting(filter),
    ...(where.trim() === "" ? [] : [{ name: t("lineage.where"), value: where }]),
    ...(modelLineage.target ? [{ name: t("lineage.target"), value: modelLineage.target.id }] : []),
    { name: t("side.sort"), value: orderWords(sort, columns) },
    ...(grouping === "none" ? [] : [{ name: t("runs.group"), value: t(`runs.group_${grouping}`) }]),
  ];
}
