// SPDX-License-Identifier: Apache-2.0
import { fetchTags } from "../../api/routes";
import type { Kind } from "../../api/values";
import { MEDIA_KINDS } from "../../core/view/valueView";
import { compareNames } from "../../core/text/naturalSort";
import type { Problem } from "../requests/problem";
import { Resource } from "../requests/resource.svelte";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

/** A tag of a kind and the shown runs that hold it. */
export interface TagRuns {
  kind: string;
  tag: string;
  runs: readonly string[];
}

/** Tags of some kinds in some runs, in the order of names. Most growth adds no tag, so `live` reloads them where one may have come. */
function tagsOf(kinds: readonly string[]): ResourceDefinition<readonly string[], readonly TagRuns[]> {
  return {
    kind: `tags of ${kinds.join(", ")} in runs`,
    read: async (runs, signal) => {
      const lists = await Promise.all(kinds.map((kind) => readTags(kind, runs, signal)));
      return lists.flat().sort((one, other) => compareNames(one.tag, other.tag));
    },
    runs: noRuns,
  };
}

async function readTags(kind: string, runs: readonly string[], signal: AbortSignal): Promise<TagRuns[]> {
  const { tags } = runs.length === 0 ? { tags: [] } : await fetchTags(runs, kind, signal);
  return tags.map(({ tag, runs: holders }) => ({ kind, tag, runs: holders.map((index) => runs[index]!) }));
}

/** Tags of some kinds in the shown runs. */
export class Tags {
  readonly kinds: readonly string[];
  readonly #tags: Resource<readonly string[], readonly TagRuns[]>;

  constructor(...kinds: readonly string[]) {
    this.kinds = kinds;
    this.#tags = new Resource(tagsOf(kinds));
  }

  get list(): readonly TagRuns[] {
    return this.#tags.value ?? [];
  }

  get isLoaded(): boolean {
    return this.#tags.value !== null;
  }

  get problem(): Problem | null {
    return this.#tags.problem;
  }

  request(runs: readonly string[]): void {
    this.#tags.request(runs);
  }

  retry(): void {
    this.#tags.retry();
  }

  /** Reads the tags again while a page shows them. */
  reload(): void {
    this.#tags.reload();
  }

  release(): void {
    this.#tags.release();
  }
}

const lists = new Map<string, Tags>();

/** The tags of some kinds: one list for every page. */
export function tagsOfKinds(...kinds: readonly Kind[]): Tags {
  const name = kinds.join(", ");
  const list = lists.get(name) ?? new Tags(...kinds);
  lists.set(name, list);
  return list;
}

/** Scalars of all runs, whether a page shows them or not. */
export const scalarsOfAllRuns = new Tags("scalar");
lists.set("scalar of all runs", scalarsOfAllRuns);

/** The lists that pages requested. */
export function listsOfTags(): Iterable<Tags> {
  return lists.values();
}

/** Of scalars: also what the search box finds. */
export const tags = tagsOfKinds("scalar");
export const mediaTags = tagsOfKinds(...MEDIA_KINDS);
export const histogramTags = tagsOfKinds("histogram");
export const prCurveTags = tagsOfKinds("pr_curve");
