// SPDX-License-Identifier: Apache-2.0
import { askedPreviews, askedTags, type Previews } from "../../state/data/values.svelte";
import type { Problem } from "../../state/requests/problem";
import { TAGGED, type TaggedKind } from "./kinds";

/** What the cards of a run need to know before they can show anything. */
export class Overview {
  readonly #lists = new Map(TAGGED.map((kind) => [kind, askedTags(kind)]));
  readonly #previews = askedPreviews();
  readonly #chosen = askedPreviews();

  ask(run: string): void {
    for (const list of this.#lists.values()) list.ask(run);
    this.#previews.ask({ run, landscape: null });
  }

  /** For a landscape that is not the one of the previews. */
  askLandscape(run: string, landscape: string): void {
    this.#chosen.ask({ run, landscape });
  }

  /** The tags of a kind; none while those of another run are still here. */
  tagsOf(run: string, kind: TaggedKind): readonly string[] {
    const answer = this.#lists.get(kind)!.answer;
    return answer?.run === run ? answer.tags : [];
  }

  previewsOf(run: string): Previews | null {
    const { answer } = this.#previews;
    return answer?.run === run ? answer : null;
  }

  /** The landscape of a tag, once it is here, and why it is not. */
  landscapeOf(run: string, tag: string): { landscape: Previews["landscape"]; problem: Problem | null } {
    const known = [this.#previews.answer, this.#chosen.answer].find((answer) => answer?.run === run && answer.landscape?.tag === tag);
    return { landscape: known?.landscape ?? null, problem: this.#chosen.problem };
  }

  retryLandscape(): void {
    this.#chosen.retry();
  }

  get problem(): { what: string; remedy: string } | null {
    const { problem } = this.#previews;
    return problem && !problem.isUnreachable ? problem : null;
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
