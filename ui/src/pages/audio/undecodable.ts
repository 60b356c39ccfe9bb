// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";
import type { AudioClip } from "../../state/data/values.svelte";

/** Says of a sound whose bytes look right that the browser makes nothing of them, and where they stand. */
export function undecodable({ step, file, offset }: AudioClip): string {
  return t("audio.undecodable", { step: groupDigits(step), file, offset: groupDigits(offset) });
}
