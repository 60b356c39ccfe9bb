// SPDX-License-Identifier: Apache-2.0
import { formatValue, groupDigits } from "../../../core/text/format";
import { findingsTexts } from "../../../i18n/en/findings";
import type { Values } from "../../../i18n/fill";
import { addEnglish, type MessageKey } from "../../../i18n/i18n.svelte";
import type { DebugFirstBadAnswer } from "../../../state/data/debugger";
import "./firstBadWords"; // its texts

addEnglish(findingsTexts);

/** Says a message in the language of the page. */
type Say = (key: MessageKey, values?: Values) => string;
type Explanation = NonNullable<DebugFirstBadAnswer["found"]>["explanations"][number];

/** A tensor on the way up to the first cause, and the numbers in it. */
export function explanationText(each: Explanation, isFirst: boolean, say: Say): string {
  const since = groupDigits(each.since);
  const isLarge = each.trait === "large";
  const what = isLarge
    ? say("findings.has_large", { value: formatValue(each.value), since })
    : say("findings.has", {
        what: say(`debug.bad_trait_${each.trait}`),
        count: groupDigits(each.count),
        n: groupDigits(each.total),
        since,
      });
  if (each.update_ratio !== null) {
    return say("findings.updated", { what, update: say("debug.bad_large_update", { ratio: formatValue(each.update_ratio, 3) }) });
  }
  if (!isFirst || each.kind !== "operator") return what;
  if (!isLarge) return say("findings.made", { what });
  return each.inputs_reach === null ? what : say("findings.made_large", { what, value: formatValue(each.inputs_reach) });
}

export function explanationName({ kind, name }: Explanation, say: Say): string {
  if (kind === "parameter") return say("findings.parameter", { name });
  return kind === "batch" ? say("findings.batch", { name }) : name;
}
