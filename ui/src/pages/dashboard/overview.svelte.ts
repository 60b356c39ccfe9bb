// SPDX-License-Identifier: Apache-2.0
import { askedPreviews, askedTags, type Previews } from "../../state/data/values.svelte";
import { TAGGED, type TaggedKind } from "./kinds";

/** What the cards of a run need to know before they can show anything. */
export class Overview {
  readonly #lists = new Map(TAGGED.map((kind) => [kind, askedTags(kind)]));
  readonly #previews = askedPreviews();

  ask(run: string): void {
    for (const list of this.#lists.values()) list.ask(run);
    this.#previews.ask(run);
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
  }
}
