// SPDX-License-Identifier: Apache-2.0
import { histogramDrawing } from "../../charts/export/histogramDrawing";
import { histogramJson } from "../../core/tables/histogramTable";
import { groupDigits } from "../../core/text/format";
import type { CardContent } from "../../export/html/model";
import { t } from "../../i18n/i18n.svelte";
import { histogramSource } from "../../state/data/histograms";
import { readOnce } from "../../state/requests/resourceCache";
import { colors } from "../../state/view/runColors.svelte";
import { savedTag } from "../previews/savedTag";

const SIZE = { width: 560, height: 280 };
const ROWS = 40;

export const saved = savedTag(histogramContent);

async function histogramContent(run: string, tag: string, signal: AbortSignal): Promise<CardContent> {
  const histograms = await readOnce(histogramSource, { run, tag, axis: "step", range: null, rows: ROWS }, signal);
  const drawing = histogramDrawing({ histograms, shape: "ridge", axis: "step", values: null, color: colors.of(run), unit: "" }, SIZE);
  const label = t("histograms.chart", { tag, run, n: histograms.step.length });
  return {
    facts: [t("histograms.steps", { n: histograms.steps, shown: groupDigits(histograms.steps) })],
    parts: [{ kind: "drawing", label, drawing, values: JSON.parse(histogramJson(histograms)) as unknown }],
  };
}
