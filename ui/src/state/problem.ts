// SPDX-License-Identifier: Apache-2.0
import { ApiError, UNREACHABLE } from "../api/client";
import { t } from "../i18n/i18n.svelte";

/** Something that failed, in words for a person: what, and what to do. */
export interface Problem {
  what: string;
  remedy: string;
  isUnreachable: boolean;
}

/** Refusals of the server that the page has words for in each language. */
const CODES = [
  "run_not_found",
  "tag_not_found",
  "value_not_found",
  "unreadable",
  "notebook_not_writable",
  "stale_record",
  "deleting_not_allowed",
  "run_is_live",
  "stale_token",
  "not_deleted",
  "invalid_request",
  "internal",
] as const;

export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError && error.code === UNREACHABLE) {
    return { what: t("error.unreachable"), remedy: t("error.unreachable_remedy"), isUnreachable: true };
  }
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof ApiError ? CODES.find((known) => known === error.code) : undefined;
  if (code) return { what: `${t(`error.code.${code}`)} (${message}).`, remedy: t(`error.remedy.${code}`), isUnreachable: false };
  return { what: message, remedy: error instanceof ApiError ? error.remedy : "", isUnreachable: false };
}
