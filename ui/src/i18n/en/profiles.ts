// SPDX-License-Identifier: Apache-2.0
export const profiles = {
  "nav.profile": "Profiling",
  "kind.profile": "{n} {n|profile|profiles}",
  "profile.choose": "Profile",
  "profile.loading_range": "Loading…",
  "profile.step_time": "Mean step time",
};
