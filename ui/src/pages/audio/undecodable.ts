// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";
import type { AudioClip } from "../../state/data/values.svelte";

/** The problem of audio that looks intact but that the browser can't decode, with file and byte. */
export function undecodable({ step, file, offset }: AudioClip): string {
  return t("audio.undecodable", { step: groupDigits(step), file, offset: groupDigits(offset) });
}
