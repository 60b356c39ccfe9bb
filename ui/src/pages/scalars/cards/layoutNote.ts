// SPDX-License-Identifier: Apache-2.0
import { unheldParts, type ChartPlan } from "../../../core/view/chartPlan";
import { t } from "../../../i18n/i18n.svelte";

/** What a chart of a recorded layout can't show: bands without a bound, patterns that can't be searched with; "" for nothing. */
export function layoutNote(plan: ChartPlan): string {
  const { unbounded = [], unusable = [] } = plan.layout ?? {};
  const missing = [...new Set(unbounded)];
  const hasNoLine = unheldParts(plan).length === plan.parts.length;
  return [
    ...(missing.length > 0 && !hasNoLine ? [t("layout.unbounded", { tags: missing.join(", ") })] : []),
    ...unusable.map((one) => t("layout.unusable", { ...one })),
  ].join(" ");
}
