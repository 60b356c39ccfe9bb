// SPDX-License-Identifier: Apache-2.0
import { hasWords, t } from "../../i18n/i18n.svelte";
import { causeText } from "../requests/problem";
import type { UnreadablePath } from "./runs.svelte";

/** Why a place is not read and what to do, in the current language. */
export function unreadablePathText({ detail, remedy }: UnreadablePath): { what: string; remedy: string } {
  const key = `error.remedy.${detail.code}`;
  return { what: causeText(detail), remedy: hasWords(key) ? t(key) : remedy };
}
