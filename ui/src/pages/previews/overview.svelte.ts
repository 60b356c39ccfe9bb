// SPDX-License-Identifier: Apache-2.0
import { Resource } from "../../state/requests/resource.svelte";
import { previews, tagNames, type Previews } from "../../state/data/values.svelte";
import type { Problem } from "../../state/requests/problem";

/** What the cards of a run need to know before they can show anything. */
export class Overview {
  readonly #lists: ReadonlyMap<string, Resource<string, { run: string; tags: readonly string[] }>>;
  readonly #previews = new Resource(previews);
  readonly #chosen = new Resource(previews);

  /** `kinds` are those whose previews are of one tag. */
  constructor(kinds: readonly string[]) {
    this.#lists = new Map(kinds.map((kind) => [kind, new Resource(tagNames(kind))]));
  }

  request(run: string): void {
    for (const list of this.#lists.values()) list.request(run);
    this.#previews.request({ run, landscape: null });
  }

  /** For a landscape that is not the one of the previews. */
  requestLandscape(run: string, landscape: string): void {
    this.#chosen.request({ run, landscape });
  }

  /** The tags of a kind; none while those of another run are still here. */
  tagsOf(run: string, kind: string): readonly string[] {
    const value = this.#lists.get(kind)?.value;
    return value?.run === run ? value.tags : [];
  }

  previewsOf(run: string): Previews | null {
    const { value } = this.#previews;
    return value?.run === run ? value : null;
  }

  /** The landscape of a tag, once it is here, and why it is not. */
  landscapeOf(run: string, tag: string): { landscape: Previews["landscape"]; problem: Problem | null } {
    const known = [this.#previews.value, this.#chosen.value].find((value) => value?.run === run && value.landscape?.tag === tag);
    return { landscape: known?.landscape ?? null, problem: this.#chosen.problem };
  }

  retryLandscape(): void {
    this.#chosen.retry();
  }

  get problem(): Problem | null {
    return this.#previews.problem;
  }

  retry(): void {
    this.#previews.retry();
  }

  release(): void {
    for (const list of this.#lists.values()) list.release();
    this.#previews.release();
    this.#chosen.release();
  }
}
