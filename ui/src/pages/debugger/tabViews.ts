// SPDX-License-Identifier: Apache-2.0
/** What the tabs show, loaded when it is needed; the page itself has the statistics. */
export const TAB_VIEWS = {
  findings: once(() => import("./findings/FindingsTab.svelte")),
  compare: once(() => import("./compare/CompareTab.svelte")),
};

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
