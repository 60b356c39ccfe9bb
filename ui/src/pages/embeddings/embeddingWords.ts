// SPDX-License-Identifier: Apache-2.0
import { formatValue, groupDigits } from "../../core/text/format";
import { embeddingTexts } from "../../i18n/en/embeddings";
import { addEnglish, t } from "../../i18n/i18n.svelte";
import type { EmbeddingFacts } from "../../state/data/embeddings";

addEnglish(embeddingTexts);

export const EMBEDDING_CODE = `record.add_value("embedding", "words", {
    "vectors": vectors,
    "metadata": labels})
record.record(step)`;

export function percent(share: number): string {
  return (100 * share).toFixed(share < 0.1 ? 1 : 0);
}

/** What of the vectors the picture shows, in sentences. */
export function shownTexts({ points, total, stride, not_finite, dimensions }: EmbeddingFacts): string[] {
  return [
    t("embed.facts", { points: groupDigits(points), dimensions: groupDigits(dimensions) }),
    ...(stride > 1 ? [t("embed.sampled", { stride, total: groupDigits(total) })] : []),
    ...(not_finite > 0 ? [t("embed.not_finite", { n: not_finite })] : []),
  ];
}

export function distanceText(distance: number): string {
  return formatValue(distance, 4);
}
