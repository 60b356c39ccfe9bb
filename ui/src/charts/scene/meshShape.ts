// SPDX-License-Identifier: Apache-2.0
import type { SceneBox } from "../../core/scene/box";
import type { SceneConfig } from "../../core/scene/sceneConfig";

/** A mesh, or a point cloud where it has no faces: three numbers a row. */
export interface MeshShape {
  vertex: Float32Array;
  face: Uint32Array;
  /** Red, green and blue of each vertex, or nothing. */
  color: Uint8Array;
}

export interface MeshLook {
  config: SceneConfig;
  isWireframe: boolean;
  /** CSS color of what has no colors. */
  color: string;
  /** What the picture shows; meshes with one frame have one scale. */
  frame: SceneBox;
}
