// SPDX-License-Identifier: Apache-2.0
import "../groupWords";
import type { CursorRow } from "../../../core/tables/cursorRows";
import { formatPoint, formatValue, groupDigits } from "../../../core/text/format";
import { formatDuration, formatWallTime } from "../../../core/text/time";
import { t } from "../../../i18n/i18n.svelte";
import { offsetOfRun, settingsOfChart } from "../../../state/charts/curveStyles";
import { comparison } from "../../../state/charts/groupComparison.svelte";
import { runNames } from "../../../state/view/runNames.svelte";
import { view } from "../../../state/view/view.svelte";
import type { FigureColumn } from "../../../widgets/tables/FigureTable.svelte";

type Column = FigureColumn<CursorRow>;
type Field =
  "value" | "smoothed" | "difference" | "low" | "high" | "count" | "x" | "step" | "relative" | "runs" | "minimum" | "maximum" | "points";

const DIGITS = 6;

/** Columns of the lines of a chart at the cursor; in full screen also their extremes, and how far runs are moved. */
export function lineColumns(chart: string, rows: readonly CursorRow[], isFull: boolean): Column[] {
  const { baseline, center } = view.comparing;
  const { isGrouped } = comparison;
  const { axis, xTag } = settingsOfChart(chart);
  const has = (field: Field): boolean => rows.some((row) => row[field] !== null);
  const figure = isFull ? (value: number): string => formatValue(value, DIGITS) : formatPoint;
  const hint = baseline === null ? "" : t("compare.baseline_of", { run: runNames.textOf(baseline) });
  const placeText = xTag !== null ? formatValue : axis === "step" ? groupDigits : axis === "relative" ? formatDuration : formatWallTime;
  const ofGroups = [
    ...(has("low") ? [column("low", t("compare.tip_low"), figure), column("high", t("compare.tip_high"), figure)] : []),
    column("count", t("compare.tip_count"), groupDigits),
    column("x", xTag ?? t(`scalars.axis_${axis}`), placeText),
    ...(isFull ? [column("runs", t("compare.group_size"), groupDigits)] : []),
  ];
  const ofRuns = [column("step", t("tip.step"), groupDigits), column("relative", t("tip.relative"), formatDuration)];
  const offset: Column = { key: "offset", title: t("legend.offset"), value: ({ name }) => offsetOfRun(name) };
  return [
    ...(rows.some(({ part }) => part !== "") ? [tagColumn()] : []),
    column("value", isGrouped ? t(`compare.center_${center}`) : t("tip.value"), figure),
    ...(has("smoothed") ? [column("smoothed", t("tip.smoothed"), figure)] : []),
    ...(has("difference") ? [{ ...column("difference", t("tip.difference"), figure), hint }] : []),
    ...(isGrouped ? ofGroups : ofRuns),
    ...(has("points") ? [column("minimum", t("legend.minimum"), figure), column("maximum", t("legend.maximum"), figure)] : []),
    ...(has("points") ? [column("points", t("legend.points"), groupDigits)] : []),
    ...(isFull && !isGrouped ? [offset] : []),
  ];
}

function column(key: Field, title: string, words: (value: number) => string): Column {
  return { key, title, value: (row) => row[key], text: ({ [key]: value }) => (value === null ? "–" : words(value)) };
}

function tagColumn(): Column {
  return { key: "tag", title: t("legend.tag"), value: ({ part }) => part, text: ({ part }) => part, isText: true };
}
