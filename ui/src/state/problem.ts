// SPDX-License-Identifier: Apache-2.0
import { ApiError, UNREACHABLE } from "../api/client";
import { t } from "../i18n/i18n.svelte";

/** Something that failed, in words for a person: what, and what to do. */
export interface Problem {
  what: string;
  remedy: string;
  isUnreachable: boolean;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError && error.code === UNREACHABLE) {
    return { what: t("error.unreachable"), remedy: t("error.unreachable_remedy"), isUnreachable: true };
  }
  const what = error instanceof Error ? error.message : String(error);
  return { what, remedy: error instanceof ApiError ? error.remedy : "", isUnreachable: false };
}
