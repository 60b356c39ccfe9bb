// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../../../core/text/format";
import { t } from "../../../i18n/i18n.svelte";
import type { HitRange } from "../../../state/live/alerts.svelte";
import { runNames } from "../../../state/view/runNames.svelte";
import { hitTitle, hitValue } from "../../frame/hitWords";

/** What hit at the steps of a mark: watchpoint, tensor, and the value of the first hit of its alert. */
export function hitMarkTitle({ run, first, last, alert }: HitRange): string {
  const value = first === alert.step ? hitValue(alert, t) : "";
  const values = {
    ...{ run: runNames.textOf(run), what: hitTitle(alert, t), first: groupDigits(first), last: groupDigits(last) },
    tensor: value === "" ? alert.tag : `${alert.tag}: ${value}`,
  };
  return t(first === last ? "scalars.hit_step" : "scalars.hit_steps", values);
}
