// SPDX-License-Identifier: Apache-2.0
import { compareNames } from "../../core/text/naturalSort";
import { freshId, annotations, type View } from "../annotations/annotations.svelte";
import { pageLocation } from "./location.svelte";

/** A view with the id under which the workspace keeps it. */
export interface NamedView extends View {
  id: string;
}

/** Views that people saved under a name, for everybody who looks at the same base directory. */
class Views {
  list = $derived<readonly NamedView[]>(
    [...annotations.views]
      .map(([id, { title, address, note, is_start }]) => ({ id, title, address, note, is_start }))
      .sort((one, other) => compareNames(one.title, other.title)),
  );
  /** Opened if the address requests no other view. */
  start = $derived(this.list.find(({ is_start }) => is_start) ?? null);

  named(title: string): NamedView | undefined {
    return this.list.find((one) => one.title === title);
  }

  /** Saves what the page shows; a view of the same name is replaced and stays the start page if it was. */
  save(title: string): Promise<boolean> {
    const known = this.named(title);
    const { note = "", is_start = false } = known ?? {};
    return annotations.put("views", known?.id ?? freshId(), { title, address: pageLocation.address(pageLocation.path), note, is_start });
  }

  /** Makes one view the start page, or none. */
  async setStart(id: string | null): Promise<void> {
    for (const { id: key, ...view } of this.list) {
      if (view.is_start !== (key === id)) await annotations.put("views", key, { ...view, is_start: key === id });
    }
  }

  delete(id: string): void {
    void annotations.put("views", id, null);
  }
}

export const views = new Views();
