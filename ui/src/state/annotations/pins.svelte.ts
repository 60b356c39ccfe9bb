// SPDX-License-Identifier: Apache-2.0
import { freshId, annotations } from "./annotations.svelte";

/** Pinned tags and charts, shared by all clients. */
class Pins {
  #byPage = $derived.by(() => {
    const pages = new Map<string, Map<string, { id: string; place: number }>>();
    for (const [id, { page, subject, place }] of annotations.pins) {
      const subjects = pages.get(page) ?? new Map<string, { id: string; place: number }>();
      pages.set(page, subjects.set(subject, { id, place }));
    }
    return pages;
  });

  /** Subjects in their order. */
  of(page: string): string[] {
    const subjects = [...(this.#byPage.get(page) ?? [])];
    return subjects.sort(([, one], [, other]) => one.place - other.place).map(([subject]) => subject);
  }

  isPinned(page: string, subject: string): boolean {
    return this.#byPage.get(page)?.has(subject) ?? false;
  }

  /** What is pinned on the page of its kind, in the order of the pins, and the rest. */
  split<Tag extends { kind: string; tag: string }>(tags: readonly Tag[]): { pinned: Tag[]; rest: Tag[] } {
    const kinds = [...new Set(tags.map(({ kind }) => kind))];
    const pinned = kinds.flatMap((page) => this.of(page).flatMap((pin) => tags.filter(({ kind, tag }) => kind === page && tag === pin)));
    return { pinned, rest: tags.filter(({ kind, tag }) => !this.isPinned(kind, tag)) };
  }

  toggle(page: string, subject: string): void {
    const subjects = this.#byPage.get(page);
    const pin = subjects?.get(subject);
    const last = Math.max(0, ...[...(subjects?.values() ?? [])].map(({ place }) => place));
    void annotations.put("pins", pin?.id ?? freshId(), pin ? null : { page, subject, place: last + 1 });
  }
}

export const pins = new Pins();
