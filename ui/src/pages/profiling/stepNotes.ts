// SPDX-License-Identifier: Apache-2.0
import { t } from "../../i18n/i18n.svelte";

/** Which steps means and advice leave out, and why: numbers of those that warm up, and of incomplete ones. */
export function stepNotes(warmUp: readonly number[], cut: readonly number[]): string[] {
  return [
    ...(warmUp.length === 0 ? [] : [t("profile.warm_up_steps", { steps: warmUp.join(", ") })]),
    ...(cut.length === 0 ? [] : [t("profile.incomplete_steps", { n: cut.length, steps: cut.join(", ") })]),
  ];
}
