// SPDX-License-Identifier: Apache-2.0
import { scopeNames } from "../../core/profiles/scopeNames";
import type { ProfileKey } from "../../core/view/profileView";
import { graphList, graphStructure, structureOf } from "../../state/data/graphs";
import { scopeTimes } from "../../state/data/profiles";
import { createResource } from "../../state/requests/resource.svelte";

/** Larger graphs are not loaded for the names of modules. */
const MOST_NODES = 100_000;

let names = $state.raw<ReadonlyMap<string, string>>(new Map());

/** A module by its name in the network, such as `layers.3.mlp.2`; as the profiler calls it where that is unknown. */
export function moduleName(path: string, usual = path): string {
  return names.get(path) ?? usual;
}

/** Joins the modules of a profile with the graph of its run, whose scopes have their names. Call it while a component is set up. */
export function followModuleNames(of: () => ProfileKey): void {
  const list = createResource(graphList, () => ({ run: of().run }));
  const graph = $derived(list.value?.findLast(({ operations }) => operations <= MOST_NODES));
  const structure = createResource(graphStructure, () => (graph ? { run: of().run, graph: graph.name, version: graph.version } : null));
  const scopes = $derived.by(() => {
    if (structure.value?.key.run !== of().run) return null;
    const { scope_label, scope_parent, texts } = structureOf(structure.value.source);
    return { labels: Array.from(scope_label, (label) => texts[label]!), parents: [...scope_parent] };
  });
  const joined = createResource(scopeTimes, () => (scopes ? { run: of().run, ...scopes } : null));

  $effect(() => {
    const answer = joined.value;
    const isOfProfile = scopes !== null && answer?.profile === of().profile;
    const paths = isOfProfile ? scopeNames(scopes.labels, scopes.parents) : [];
    names = new Map(isOfProfile ? answer.scopes.flatMap(({ scope, module }) => (paths[scope] ? [[module, paths[scope]]] : [])) : []);
  });
}
