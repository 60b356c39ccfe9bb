// SPDX-License-Identifier: Apache-2.0
import { formatValue, groupDigits } from "../../../core/text/format";
import { formatDuration, formatWallTime } from "../../../core/text/time";
import { t } from "../../../i18n/i18n.svelte";
import { settingsOfChart } from "../../../state/charts/curveStyles";

/** The horizontal axis of a chart in words. */
export function placeTitle(chart: string): string {
  const { axis, xTag } = settingsOfChart(chart);
  return xTag ?? t(`scalars.axis_${axis}`);
}

/** A position on the horizontal axis of a chart. */
export function placeText(chart: string, at: number): string {
  const { axis, xTag } = settingsOfChart(chart);
  if (xTag !== null) return formatValue(at);
  if (axis === "step") return groupDigits(at);
  return axis === "relative" ? formatDuration(at) : formatWallTime(at);
}
