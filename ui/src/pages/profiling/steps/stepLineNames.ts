// SPDX-License-Identifier: Apache-2.0
import { STEP_PHASES } from "../../../core/profiles/stepTrace";
import { textOr } from "../../../i18n/i18n.svelte";
import { STEP_PARTS, wordOf } from "../profileWords";

export interface StepLineName {
  column: string;
  color: string;
}

const PHASE_COLORS = ["var(--series-4)", "var(--series-5)", "var(--series-7)"];
export const WHOLE: StepLineName = { column: "duration", color: "var(--ink)" };
/** The phases follow each other, the parts sum to the whole. */
export const PHASE_LINES: readonly StepLineName[] = STEP_PHASES.map((column, place) => ({ column, color: PHASE_COLORS[place]! }));
export const PART_LINES: readonly StepLineName[] = STEP_PARTS.map(({ part, color }) => ({ column: part, color }));

export function stepLineName(column: string): string {
  return textOr(`steps.${column}`, wordOf("part", column));
}
