// SPDX-License-Identifier: Apache-2.0
import { columnName, pipelineMark, type StageColumn } from "../../core/lineage/pipelineColumns";
import { t } from "../../i18n/i18n.svelte";
import type { ViewPlan } from "../../export/html/model";
import { filterSetting, namedRuns } from "../../export/selectedRuns";
import { tableContent, type PlannedColumn } from "../../export/tablePart";
import { view } from "../../state/view/view.svelte";
import type { PipelineRow } from "./pipelineRows";
import { stageText } from "./stageWords";

/** The table of pipelines, with its rows and columns in their order. */
export function pipelinesExport(rows: readonly PipelineRow[], columns: readonly StageColumn[]): ViewPlan {
  const title = t("nav.data_lineage");
  const { where } = view.list;
  const texts = (title: string, text: (row: PipelineRow) => string): PlannedColumn<PipelineRow> => ({
    title,
    isNumber: false,
    value: text,
    text,
  });
  const planned = [
    texts(t("pipelines.pipeline"), ({ pipeline }) => pipelineMark(pipeline)),
    texts(t("tip.run"), ({ runs }) => runs.join(", ")),
    ...columns.map((column) => texts(columnName(column), ({ pipeline }) => stageText(column.stages[pipeline] ?? null))),
  ];
  return {
    page: "data_lineage",
    title,
    runs: namedRuns(rows.flatMap(({ runs }) => runs)),
    settings: [...filterSetting(view.list.filter), ...(where.trim() === "" ? [] : [{ name: t("lineage.where"), value: where }])],
    sections: [
      { title, cards: [{ title, run: null, isWide: true, make: () => Promise.resolve(tableContent(title, planned, rows, () => null)) }] },
    ],
  };
}
