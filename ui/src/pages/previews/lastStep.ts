// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";

/** The last step of a list of values, in words; "" for none. */
export function lastStep({ step }: { step: ArrayLike<number> }): string {
  const last = step[step.length - 1];
  return last === undefined ? "" : t("images.step", { step: groupDigits(last) });
}
