// SPDX-License-Identifier: Apache-2.0
import { fetchTags } from "../../api/routes";
import type { Kind } from "../../api/values";
import { compareNames } from "../../core/text/naturalSort";
import type { Problem } from "../requests/problem";
import { Resource } from "../requests/resource.svelte";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

/** A tag and the shown runs that hold it. */
export interface TagRuns {
  tag: string;
  runs: readonly string[];
}

/** Tags of one kind in some runs, in the order of names. Most growth adds no tag, so `live` reloads them where one may have come. */
function tagsOf(kind: string): ResourceDefinition<readonly string[], readonly TagRuns[]> {
  return {
    kind: `tags of ${kind} in runs`,
    read: async (runs, signal) => {
      const { tags } = runs.length === 0 ? { tags: [] } : await fetchTags(runs, kind, signal);
      return tags
        .map(({ tag, runs: holders }) => ({ tag, runs: holders.map((index) => runs[index]!) }))
        .sort((one, other) => compareNames(one.tag, other.tag));
    },
    runs: noRuns,
  };
}

/** Tags of one kind in the shown runs. */
export class Tags {
  readonly kind: string;
  readonly #tags: Resource<readonly string[], readonly TagRuns[]>;

  constructor(kind: string) {
    this.kind = kind;
    this.#tags = new Resource(tagsOf(kind));
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

/** The tags of a kind: one list for every page. */
export function tagsOfKind(kind: Kind): Tags {
  const list = lists.get(kind) ?? new Tags(kind);
  lists.set(kind, list);
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
export const tags = tagsOfKind("scalar");
export const imageTags = tagsOfKind("image");
export const histogramTags = tagsOfKind("histogram");
export const prCurveTags = tagsOfKind("pr_curve");
