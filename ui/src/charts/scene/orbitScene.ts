// SPDX-License-Identifier: Apache-2.0
import type { Mesh, Object3D } from "three";

import type { Camera } from "../../core/scene/camera";
import type { Size } from "../frame/plotFrame";

/** Colors of CSS as #rrggbb. */
export type Hex = (color: string) => string;

/** What a chart in three dimensions shows. */
export interface OrbitScene {
  /** Draws into the canvas of the shared renderer; null without WebGL. `isCoarse` while it turns on a slow renderer. */
  render: (camera: Camera, size: Size, ratio: number, isCoarse: boolean) => HTMLCanvasElement | null;
  dispose: () => void;
}

/** Frees what the objects hold on the graphics card. */
export function disposeAll(parent: Object3D): void {
  parent.traverse((object) => {
    const { geometry, material } = object as Partial<Mesh>;
    geometry?.dispose();
    for (const one of [material ?? []].flat()) {
      const { uniforms } = one as { uniforms?: { ramp?: { value: { dispose: () => void } } } };
      uniforms?.ramp?.value.dispose();
      one.dispose();
    }
  });
}
