// SPDX-License-Identifier: Apache-2.0
import type { ScopeLayout } from "../layout/scopeLayout";
import type { ScopeTree } from "../model/scopeTree";
import type { Frame, GraphPicture } from "./graphPicture";
import type { ScopeItems } from "./scopeItems";

/** A frame for another thread. `items` is null when they are those of the last message; `inner` holds pairs of box and scope. */
interface FrameMessage {
  scope: number;
  items: ScopeItems | null;
  layout: ScopeLayout;
  inner: (readonly [number, number])[];
}

/** What differs from the last picture; inner frames precede the frames around them. */
export interface PictureMessage {
  changed: FrameMessage[];
  removed: number[];
}

/** Sends pictures as what changed, so that an opened scope costs its own frame and those around it. */
export class PictureSender {
  private sent: ReadonlyMap<number, Frame> = new Map();

  message({ frames }: GraphPicture): PictureMessage {
    const changed: FrameMessage[] = [];
    for (const [scope, frame] of frames) {
      const last = this.sent.get(scope);
      if (last === frame) continue;
      const inner = Array.from(frame.inner, ([box, { scope: inside }]) => [box, inside] as const);
      changed.push({ scope, items: last?.items === frame.items ? null : frame.items, layout: frame.layout, inner });
    }
    const removed = [...this.sent.keys()].filter((scope) => !frames.has(scope));
    this.sent = frames;
    return { changed, removed };
  }
}

/** Puts the pictures of a sender together again. */
export class PictureReceiver {
  private frames = new Map<number, Frame>();

  constructor(private readonly tree: ScopeTree) {}

  receive({ changed, removed }: PictureMessage): GraphPicture {
    const frames = new Map(this.frames);
    for (const scope of removed) frames.delete(scope);
    for (const { scope, items, layout, inner } of changed)
      frames.set(scope, {
        scope,
        items: items ?? this.frames.get(scope)!.items,
        layout,
        inner: new Map(inner.map(([box, inside]) => [box, frames.get(inside)!])),
      });
    this.frames = frames;
    return { tree: this.tree, root: frames.get(0)!, frames };
  }
}
