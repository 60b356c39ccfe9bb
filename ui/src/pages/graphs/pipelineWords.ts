// SPDX-License-Identifier: Apache-2.0
import type { Unmatched } from "../../core/lineage/measuredPipeline";
import type { PipelineOperation } from "../../core/profiles/stepTrace";
import { t } from "../../i18n/i18n.svelte";
import { percent } from "../profiling/profileWords";

/** In the box of an operation: how full its output queue is, or that it is not measured. */
export function figuresText(operation: number | Unmatched, operations: readonly PipelineOperation[]): string {
  if (typeof operation === "string") return t("dataset.not_measured");
  const { usage, advice } = operations[operation]!;
  const text = usage === null ? t("dataset.without_queue") : t("dataset.queue", { share: percent(usage) });
  return advice === null ? text : `${text} · ${t("pipeline.slow")}`;
}

/** Why a recorded operation is not in the profile, or a measured one not in the recorded graph. */
export function unmatchedText(side: "recorded" | "measured", why: Unmatched): string {
  return t(`dataset.${why}_in_${side}`);
}
