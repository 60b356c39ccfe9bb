// SPDX-License-Identifier: Apache-2.0
import { hasWords, t } from "../i18n/i18n.svelte";
import { told } from "./problem";
import type { UnreadPlace } from "./runs.svelte";

/** Why a place is not read and what to do, in the current language. */
export function toldPlace({ detail, remedy }: UnreadPlace): { what: string; remedy: string } {
  const key = `error.remedy.${detail.code}`;
  return { what: told(detail), remedy: hasWords(key) ? t(key) : remedy };
}
