// SPDX-License-Identifier: Apache-2.0
import { formatValue, groupDigits } from "../../../core/text/format";
import { debugCompareTexts } from "../../../i18n/en/debugCompare";
import type { Values } from "../../../i18n/fill";
import { addEnglish, hasWords, type MessageKey } from "../../../i18n/i18n.svelte";
import type { DebugComparison, DebugDifference } from "../../../state/data/debugComparison";
import "../debugWords"; // its texts

addEnglish(debugCompareTexts);

/** Says a message in the language of the page. */
type Say = (key: MessageKey, values?: Values) => string;

/** What differs first, in one sentence. */
export function comparisonHead(found: DebugComparison, hasRanks: boolean, say: Say): string {
  const { first, cause } = found;
  if (first === null || cause === "none") {
    return say(found.is_complete ? "debug.cmp_none" : "debug.cmp_none_yet", { n: found.read_steps });
  }
  const step = groupDigits(first.step);
  return say(`debug.cmp_${cause}`, {
    place: hasRanks ? say("debug.cmp_place_rank", { step, rank: first.rank }) : say("debug.cmp_place", { step }),
    left: first.left,
    phase: say(`debug.phase_${first.phase}`),
    tensor: tensorText(first, say),
  });
}

/** How large the first difference is, its counterpart, and bytes that differ earlier. */
export function comparisonNotes({ first, cause, bitwise }: DebugComparison, say: Say): string[] {
  const notes: string[] = [];
  if (first && cause !== "batch")
    notes.push(
      say("debug.cmp_error", {
        error: errorText(first.error, say),
        inherited: errorText(first.inherited, say),
        added: errorText(first.added, say),
        tolerance: formatValue(first.tolerance),
      }),
    );
  if (first && first.right !== first.left) notes.push(say("debug.cmp_counterpart", { right: first.right }));
  if (bitwise && (!first || !isSamePlace(first, bitwise)))
    notes.push(
      say("debug.cmp_bitwise", {
        step: groupDigits(bitwise.step),
        left: bitwise.left,
        tensor: tensorText(bitwise, say),
      }),
    );
  return notes;
}

/** Null is an error without bound: counts of elements, NaN or infinities differ. */
export function errorText(error: number | null, say: Say): string {
  return error === null ? say("debug.cmp_unbounded") : formatValue(error, 3);
}

export function coverageText({ matched, operators }: DebugComparison, say: Say): string {
  const percent = operators === 0 ? 100 : Math.floor((100 * matched) / operators);
  return say("debug.cmp_coverage", { percent, n: groupDigits(operators) });
}

export function problemText(code: string, say: Say): string {
  const key = `debug.cmp_problem_${code}`;
  return hasWords(key) ? say(key) : code;
}

function tensorText({ role, slot }: DebugDifference, say: Say): string {
  return `${say(`debug.role_${role}`)} ${slot}`;
}

function isSamePlace(one: DebugDifference, other: DebugDifference): boolean {
  return one.step === other.step && one.rank === other.rank && one.order === other.order;
}
