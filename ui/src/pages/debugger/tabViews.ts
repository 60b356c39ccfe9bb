// SPDX-License-Identifier: Apache-2.0
import type { Component } from "svelte";
import type { DebugTab } from "../../core/view/debugView";
import type { DebugSource, OfAllRanks } from "../../state/data/debugger";

type View = Promise<{ default: Component<{ of: OfAllRanks; source: DebugSource; sources: readonly DebugSource[] }> }>;

/** What the tabs show, loaded when it is needed; the page itself has the statistics. */
export const TAB_VIEWS: Readonly<Record<Exclude<DebugTab, "statistics" | "failure">, () => View>> = {
  watchpoints: once(() => import("./watchpoints/WatchpointsTab.svelte")),
  first_bad: once(() => import("./firstBad/FirstBadTab.svelte")),
  compare: once(() => import("./compare/CompareTab.svelte")),
};

/** What recorders wrote when a training failed; it needs no statistics. */
export const failureView = once(() => import("./failure/FailureTab.svelte"));

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
