// SPDX-License-Identifier: Apache-2.0
import { formatNs } from "../../../core/profiles/timeText";
import { formatBytes, groupDigits } from "../../../core/text/format";
import { t } from "../../../i18n/i18n.svelte";
import type { ProfileTables } from "../../../state/data/profiles";
import { flopsText, percent } from "../profileWords";

/** The figures of a whole profile that it records, in words. */
export function overviewFigures(summary: ProfileTables["summary"]): { name: string; text: string }[] {
  const { steps, step_ns: step, device_busy: busy, overlap, occupancy, tensor_cores: cores, flops, peaks } = summary;
  const judged = steps.filter(({ is_incomplete, is_warm_up }) => !is_incomplete && !is_warm_up);
  return [
    ...(step === null ? [] : [{ name: t("profile.step_time"), text: formatNs(step) }]),
    ...(steps.length === 0 ? [] : [{ name: t("profile.steps_profiled"), text: groupDigits(judged.length) }]),
    ...(busy === null ? [] : [{ name: t("profile.device_busy"), text: percent(busy) }]),
    ...(overlap === null ? [] : [{ name: t("profile.overlap"), text: percent(overlap) }]),
    ...(occupancy === null ? [] : [{ name: t("profile.occupancy"), text: percent(occupancy) }]),
    ...(cores === null ? [] : [{ name: t("profile.tensor_cores"), text: percent(cores) }]),
    ...(flops === null ? [] : [{ name: t("profile.flops_rate"), text: flopsText(flops.per_second) }]),
    ...(flops === null || flops.utilization === null ? [] : [{ name: t("profile.flops_utilization"), text: percent(flops.utilization) }]),
    ...peaks.map(({ device, bytes }) => ({ name: t("profile.peak_of", { device }), text: formatBytes(bytes) })),
  ];
}
