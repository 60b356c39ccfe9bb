// SPDX-License-Identifier: Apache-2.0
import { ProfiledTimes } from "../../core/graphs/model/profiledTimes";
import { runs } from "../../state/data/runs.svelte";
import { scopeTimes } from "../../state/data/profiles";
import { createResource } from "../../state/requests/resource.svelte";
import type { GraphStage } from "./graphStage.svelte";

/** Times of the items of a graph, by the newest profile of its run. */
export interface GraphTimes {
  /** Null until they are known, and for a run without a profile of modules. */
  readonly times: ProfiledTimes | null;
  readonly profile: string | null;
  readonly isOnDevice: boolean;
}

/** Call it while a component is set up. */
export function createGraphTimes(stage: () => GraphStage | null, run: () => string): GraphTimes {
  const hasProfile = $derived(runs.byId.get(run())?.contents.some(({ kind }) => kind.endsWith("_profile")) ?? false);
  const query = $derived.by(() => {
    const current = stage();
    if (!current?.picture || !hasProfile) return null;
    const { scope_label, scope_parent, texts } = current.structure;
    return { run: run(), labels: Array.from(scope_label, (label) => texts[label]!), parents: [...scope_parent] };
  });
  const source = createResource(scopeTimes, () => query);
  const times = $derived.by(() => {
    const current = stage();
    const found = current && query && source.value ? new ProfiledTimes(current.tree, source.value.scopes) : null;
    return found?.isEmpty ? null : found;
  });

  return {
    get times() {
      return times;
    },
    get profile() {
      return source.value?.profile ?? null;
    },
    get isOnDevice() {
      return source.value?.is_on_device ?? false;
    },
  };
}
