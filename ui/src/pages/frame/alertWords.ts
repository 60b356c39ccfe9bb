// SPDX-License-Identifier: Apache-2.0
import { t } from "../../i18n/i18n.svelte";
import { isHit, type Alert } from "../../state/live/alerts.svelte";
import { hitTitle } from "./hitWords";

/** The check whose alerts are trainings that failed. */
export const FAILED = "failed";

/** Checks that have a text; a threshold shows its own rule. */
const CHECKS = ["failed", "nan", "spike", "divergence", "plateau", "vanishing", "exploding", "dead", "stuck"] as const;

/** What an alert found, in words. */
export function alertTitle(alert: Alert): string {
  if (isHit(alert)) return hitTitle(alert, t);
  const check = CHECKS.find((name) => name === alert.rule);
  return check ? t(`alerts.check.${check}`) : t("alerts.threshold", { rule: alert.message });
}
