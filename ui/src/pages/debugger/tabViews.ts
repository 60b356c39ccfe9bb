// SPDX-License-Identifier: Apache-2.0
import type { Component } from "svelte";
import type { DebugTab } from "../../core/view/debugView";
import type { DebugSource, OfAllRanks } from "../../state/data/debugger";

type View = Promise<{ default: Component<{ of: OfAllRanks; source: DebugSource; sources: readonly DebugSource[] }> }>;

/** What the tabs show, loaded when it is needed; the page itself has the statistics. */
export const TAB_VIEWS: Readonly<Record<Exclude<DebugTab, "statistics">, () => View>> = {
  watchpoints: once(() => import("./watchpoints/WatchpointsTab.svelte")),
  first_bad: once(() => import("./firstBad/FirstBadTab.svelte")),
  compare: once(() => import("./compare/CompareTab.svelte")),
};

function once(load: () => View): () => View {
  let loaded: View | undefined;
  return () => (loaded ??= load());
}
