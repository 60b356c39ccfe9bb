// SPDX-License-Identifier: Apache-2.0
import type { ProfileKey } from "./profileKey";
import { columnSort, fields, filter, oneOf, optional, pairOf, param, range, type Codec, type ValueOf } from "./schema";
import { TREE_KEYS } from "./treeKeys";

export const COMPARED = ["calls", "operators", "kernels"] as const;

export const CHANGE_STATES = ["all", "changed", "added", "gone", "slower", "faster"] as const;

/** Numbers of the first and the last step. */
export type StepNumbers = readonly [number, number];

const STEPS = range(true);
export const PROFILE_KEY: Codec<ProfileKey> = pairOf("run", "profile");

/** With what a profile is compared, and how that is shown. */
export const PROFILE_DIFF_VIEW = fields({
  /** Null for the profile that was written before. */
  baseline: optional("baseline_profile", PROFILE_KEY),
  /** Null for all steps. */
  baselineSteps: optional("baseline_steps", STEPS),
  steps: optional("compared_steps", STEPS),
  table: param("compared", oneOf(COMPARED), "calls"),
  filter: filter("compared_filter", "compared_regex"),
  state: param("compared_state", oneOf(CHANGE_STATES), "changed"),
  /** Null for the largest change. */
  sort: optional("compared_sort", columnSort),
  /** Keys of calls that are open or closed otherwise than at first. */
  turned: param("calls_turned", TREE_KEYS, []),
});
export type ProfileDiffView = ValueOf<typeof PROFILE_DIFF_VIEW>;
