// SPDX-License-Identifier: Apache-2.0
import type { ClipPlace } from "../../core/series/audioClips";
import { t } from "../../i18n/i18n.svelte";

/** A title that names the clip where the value has several. */
export function clipTitle(title: string, { clip, clips }: ClipPlace): string {
  return clips > 1 ? `${title} · ${t("audio.clip", { n: clip + 1, count: clips })}` : title;
}
