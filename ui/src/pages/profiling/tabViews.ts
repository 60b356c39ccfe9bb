// SPDX-License-Identifier: Apache-2.0
import type { Component } from "svelte";
import type { ProfileKey, ProfileTab } from "../../core/view/profileView";

type View = Promise<{ default: Component<{ of: ProfileKey }> }>;

const tables = once(() => import("./tables/ProfileTables.svelte"));
const memory = once(() => import("./memory/MemoryTab.svelte"));
const rows = once(() => import("./rows/ProfileRowsTab.svelte"));

/** What the tabs show, loaded when it is needed; the page itself draws the timeline. */
export const TAB_VIEWS: Readonly<Record<Exclude<ProfileTab, "timeline">, () => View>> = {
  overview: tables,
  operators: rows,
  modules: rows,
  compare: once(() => import("./compare/CompareTab.svelte")),
  memory,
  ranks: once(() => import("./ranks/RanksTab.svelte")),
};

function once(load: () => View): () => View {
  let loaded: View | undefined;
  return () => (loaded ??= load());
}
