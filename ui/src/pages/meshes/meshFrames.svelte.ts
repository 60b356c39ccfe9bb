// SPDX-License-Identifier: Apache-2.0
import { SvelteMap } from "svelte/reactivity";

import { unionBox, type SceneBox } from "../../core/scene/box";

/** The box around all meshes of a tag that were shown, so that runs and steps have one scale. */
class MeshFrames {
  readonly #frames = new SvelteMap<string, SceneBox>();

  note(tag: string, box: SceneBox): void {
    const known = this.#frames.get(tag);
    const union = known ? unionBox([known, box])! : box;
    if (JSON.stringify(known) !== JSON.stringify(union)) this.#frames.set(tag, union);
  }

  of(tag: string, box: SceneBox): SceneBox {
    return this.#frames.get(tag) ?? box;
  }
}

export const meshFrames = new MeshFrames();
