// SPDX-License-Identifier: Apache-2.0
import { formatWallTime } from "../core/text/time";
import { currentLanguage, t } from "../i18n/i18n.svelte";
import { CardFailure, writeView, type Progress, type WrittenView } from "./html/write";
import type { ViewPlan } from "./html/model";
import { REPORT } from "./html/page";
import { problemOf } from "../state/requests/problem";
import { fontRules } from "./fontRules";
import { saveBlob } from "../widgets/controls/download";

/** Message after the export succeeds or fails. */
export type SavedOutcome =
  { isSaved: true; cards: number; size: number; notes: readonly string[] } | { isSaved: false; what: string; notes: readonly string[] };

const NONCE_BYTES = 18;
/** Most names in the list of what could not be read. */
const NAMES = 3;

/** Exports a page or a report, and starts the download. Never raises; an aborted signal gives no message. */
export async function saveFile(
  plan: (signal: AbortSignal) => Promise<ViewPlan>,
  signal: AbortSignal,
  onprogress: (progress: Progress) => void,
): Promise<SavedOutcome> {
  try {
    const seconds = Date.now() / 1000;
    const planned = await plan(signal);
    if (planned.sections.every(({ cards }) => cards.length === 0)) return { isSaved: false, what: t("saved.nothing"), notes: [] };
    const facts = {
      address: location.href,
      made: formatWallTime(seconds),
      language: currentLanguage() === "zh" ? "zh-CN" : "en",
      nonce: nonce(),
      font: await fontRules(signal),
    };
    const written = await writeView(planned, {
      facts,
      signal,
      onprogress: (progress) => onprogress(unchanged(progress, facts.address)),
      explain,
    });
    signal.throwIfAborted();
    saveBlob(`${fileName(planned, facts.made)}.html`, written.file);
    return { isSaved: true, cards: written.cards, size: written.file.size, notes: notesOf(written) };
  } catch (error) {
    return notSaved(error);
  }
}

export function notSaved(error: unknown): SavedOutcome {
  return { isSaved: false, ...(error instanceof CardFailure ? failure(error) : of(error)) };
}

/** A page has its name and the time; a report has its title. */
export function fileName({ page, title }: ViewPlan, made: string): string {
  return page === REPORT ? title : `mindscope-${page}-${made.replace(/\D/g, "").slice(0, 12)}`;
}

/** A file of two views would be worse than none. */
function unchanged(progress: Progress, address: string): Progress {
  if (location.href !== address) throw new Error(t("saved.changed"));
  return progress;
}

function explain(error: unknown): { what: string; remedy: string; isFinal: boolean } {
  const { what, remedy, isUnreachable } = problemOf(error);
  return { what, remedy, isFinal: isUnreachable };
}

function of(error: unknown): { what: string; notes: string[] } {
  const { what, remedy } = problemOf(error);
  return { what, notes: remedy === "" ? [] : [remedy] };
}

function failure({ card, issues }: CardFailure): { what: string; notes: string[] } {
  return { what: `${t("saved.failed_at", { card })}. ${issues.what}`, notes: issues.remedy === "" ? [] : [issues.remedy] };
}

function notesOf({ unread, leftOut }: WrittenView): string[] {
  const titles = unread.slice(0, NAMES).join(", ") + (unread.length > NAMES ? " …" : "");
  return [
    ...(unread.length > 0 ? [t("saved.some_unread", { n: unread.length, titles })] : []),
    ...(leftOut > 0 ? [t("saved.left_out", { n: leftOut })] : []),
  ];
}

/** Also where the page is not served securely, and the browser offers no digests. */
function nonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
