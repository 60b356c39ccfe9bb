// SPDX-License-Identifier: Apache-2.0
import {
  BufferAttribute,
  BufferGeometry,
  Fog,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  OrthographicCamera,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Scene,
  Vector3,
} from "three";

import { centerOf, radiusOf, type Place, type SceneBox } from "../../core/scene/box";
import type { Camera } from "../../core/scene/camera";
import type { Size } from "../frame/plotFrame";
import type { MeshLook, MeshShape } from "./meshShape";
import { lightsOf, surfaceMaterial } from "./sceneLook";
import { disposeAll, type Hex, type OrbitScene } from "./orbitScene";
import { renderScene } from "./sceneRenderer";

const FIELD_OF_VIEW = 30;
/** The ball around the box fills this much of the picture. */
const FILL = 0.94;
/** Points that a slow renderer draws while the scene turns. */
const COARSE_POINTS = 20_000;
const [SMALLEST, LARGEST] = [1.5, 7];
const POINT_AREA = 450;

/** One mesh or point cloud in its box. */
export class MeshScene implements OrbitScene {
  readonly #scene = new Scene();
  readonly #camera: PerspectiveCamera | OrthographicCamera;
  readonly #center: Place;
  readonly #radius: number;
  readonly #fine = new Group();
  readonly #coarse = new Group();
  readonly #followers = new Group();
  readonly #points: PointsMaterial[] = [];
  readonly #pointSize: number;
  readonly #fog: Fog | null;
  #size: Size = { width: 1, height: 1 };

  constructor(shape: MeshShape, look: MeshLook, hex: Hex) {
    const { config, frame } = look;
    this.#center = centerOf(frame);
    this.#radius = radiusOf(frame);
    this.#camera = config.isOrthographic ? new OrthographicCamera() : new PerspectiveCamera(config.fieldOfView ?? FIELD_OF_VIEW);
    this.#pointSize = Math.min(LARGEST, Math.max(SMALLEST, POINT_AREA / Math.sqrt(shape.vertex.length / 3 + 1)));
    const geometry = geometryOf(shape, this.#center, this.#radius);
    const coarse = strided(geometry, shape);
    const isCloud = shape.face.length === 0;
    this.#fine.add(isCloud ? this.#cloud(geometry, look, hex) : new Mesh(geometry, surfaceMaterial(look, shape.color.length > 0, hex)));
    if (coarse) this.#coarse.add(this.#cloud(coarse, look, hex));
    this.#fog = isCloud && shape.color.length === 0 ? new Fog(hex("var(--paper)")) : null;
    this.#scene.fog = this.#fog;
    for (const { light, isFixed } of lightsOf(config)) (isFixed ? this.#scene : this.#followers).add(light);
    this.#scene.add(this.#fine, this.#coarse, this.#followers, this.#edges(frame, hex));
  }

  render(camera: Camera, size: Size, ratio: number, isCoarse: boolean): HTMLCanvasElement | null {
    this.#size = size;
    this.#aim(camera);
    const hasCoarse = isCoarse && this.#coarse.children.length > 0;
    this.#fine.visible = !hasCoarse;
    this.#coarse.visible = hasCoarse;
    for (const material of this.#points) if (!material.sizeAttenuation) material.size = this.#pointSize * ratio;
    return renderScene(this.#scene, this.#camera, size, ratio);
  }

  /** The corner of the box at the lowest numbers and the ends of its edges, in CSS pixels. */
  axisEnds({ low, high }: SceneBox): { name: string; x: number; y: number }[] {
    const ends: [string, Place][] = [
      ["x", [high[0], low[1], low[2]]],
      ["y", [low[0], high[1], low[2]]],
      ["z", [low[0], low[1], high[2]]],
    ];
    return ends.map(([name, at]) => {
      const out = new Vector3(...this.#toScene(at)).multiplyScalar(1.06).project(this.#camera);
      return { name, x: ((out.x + 1) / 2) * this.#size.width, y: ((1 - out.y) / 2) * this.#size.height };
    });
  }

  dispose(): void {
    disposeAll(this.#scene);
  }

  #toScene(at: Place): [number, number, number] {
    return [0, 1, 2].map((axis) => (at[axis]! - this.#center[axis]!) / this.#radius) as [number, number, number];
  }

  #cloud(geometry: BufferGeometry, { config, color }: MeshLook, hex: Hex): Points {
    const { size, opacity } = config.material.values;
    const hasColors = geometry.hasAttribute("color");
    const material = new PointsMaterial({ vertexColors: hasColors, color: hasColors ? "#ffffff" : hex(color) });
    const isSized = config.material.name === "PointsMaterial" && typeof size === "number" && size > 0 && !config.isOrthographic;
    material.sizeAttenuation = isSized;
    if (isSized) material.size = size / this.#radius;
    if (typeof opacity === "number") Object.assign(material, { opacity, transparent: opacity < 1 });
    material.onBeforeCompile = (shader) => {
      const cut = "#include <clipping_planes_fragment>";
      shader.fragmentShader = shader.fragmentShader.replace(cut, `${cut}\nif (length(gl_PointCoord - 0.5) > 0.5) discard;`);
    };
    this.#points.push(material);
    return new Points(geometry, material);
  }

  #edges({ low, high }: SceneBox, hex: Hex): LineSegments {
    const ends: number[] = [];
    for (const axis of [0, 1, 2]) {
      for (const [one, other] of [
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1],
      ] as const) {
        for (const end of [low, high]) {
          const corner: [number, number, number] = [low[0], low[1], low[2]];
          corner[axis] = end[axis]!;
          corner[(axis + 1) % 3] = (one ? high : low)[(axis + 1) % 3]!;
          corner[(axis + 2) % 3] = (other ? high : low)[(axis + 2) % 3]!;
          ends.push(...this.#toScene(corner));
        }
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(Float32Array.from(ends), 3));
    const material = new LineBasicMaterial({ color: hex("var(--hairline)"), fog: false, depthTest: false, depthWrite: false });
    const edges = new LineSegments(geometry, material);
    // the mesh covers all of them, also those that are nearer
    edges.renderOrder = -1;
    return edges;
  }

  /** The middle of the box is in the middle of the picture; the second axis points up. */
  #aim({ azimuth, elevation, zoom }: Camera): void {
    const { width, height } = this.#size;
    const [around, above] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180];
    const aspect = width / height;
    const camera = this.#camera;
    const half = camera instanceof PerspectiveCamera ? (camera.fov * Math.PI) / 360 : 0;
    const narrow = aspect < 1 ? Math.atan(Math.tan(half) * aspect) : half;
    const distance = half > 0 ? FILL / Math.sin(narrow) / zoom : 4;
    if (camera instanceof PerspectiveCamera) {
      camera.aspect = aspect;
    } else {
      const tall = FILL / zoom / Math.min(1, aspect);
      Object.assign(camera, { left: -tall * aspect, right: tall * aspect, top: tall, bottom: -tall });
    }
    [camera.near, camera.far] = [Math.max(distance / 100, distance - 1.2), distance + 1.2];
    const direction = new Vector3(Math.cos(around) * Math.cos(above), Math.sin(above), -Math.sin(around) * Math.cos(above));
    camera.position.copy(direction).multiplyScalar(distance);
    // from straight above or below, the back of the scene points up
    const isSteep = Math.abs(elevation) > 89.9;
    camera.up.set(
      isSteep ? -Math.cos(around) * Math.sign(elevation) : 0,
      isSteep ? 0 : 1,
      isSteep ? Math.sin(around) * Math.sign(elevation) : 0,
    );
    camera.lookAt(0, 0, 0);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    this.#followers.position.copy(camera.position);
    this.#followers.quaternion.copy(camera.quaternion);
    if (this.#fog) [this.#fog.near, this.#fog.far] = [distance - 0.7, distance + 1.6];
  }
}

/** In a ball of radius 1 around the middle of the frame. */
function geometryOf({ vertex, face, color }: MeshShape, center: Place, radius: number): BufferGeometry {
  const position = new Float32Array(vertex.length);
  for (let index = 0; index < vertex.length; index += 3) {
    position[index] = (vertex[index]! - center[0]) / radius;
    position[index + 1] = (vertex[index + 1]! - center[1]) / radius;
    position[index + 2] = (vertex[index + 2]! - center[2]) / radius;
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(position, 3));
  if (color.length > 0) geometry.setAttribute("color", new BufferAttribute(color, 3, true));
  if (face.length > 0) {
    geometry.setIndex(new BufferAttribute(face, 1));
    geometry.computeVertexNormals();
  }
  return geometry;
}

/** Some of the points of a large shape; null for a small one. */
function strided(geometry: BufferGeometry, { vertex, face }: MeshShape): BufferGeometry | null {
  const count = vertex.length / 3;
  if (Math.max(count, face.length / 3) <= 3 * COARSE_POINTS) return null;
  const stride = Math.ceil(count / COARSE_POINTS);
  const coarse = new BufferGeometry();
  for (const [name, attribute] of Object.entries(geometry.attributes)) coarse.setAttribute(name, attribute);
  coarse.setIndex(
    new BufferAttribute(
      Uint32Array.from({ length: Math.ceil(count / stride) }, (_, row) => row * stride),
      1,
    ),
  );
  return coarse;
}
