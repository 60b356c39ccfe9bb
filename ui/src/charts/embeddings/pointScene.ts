// SPDX-License-Identifier: Apache-2.0
import {
  BufferAttribute,
  BufferGeometry,
  Camera,
  CanvasTexture,
  Matrix4,
  NearestFilter,
  Points,
  Scene,
  ShaderMaterial,
  type Texture,
} from "three";

import type { Viewport } from "../../core/embeddings/pointCamera";
import type { Rgb } from "../../core/scales/colorMap";
import { sceneRenderer } from "../scene/sceneRenderer";

/** Images of all points in one picture, row by row; `rows` is the number of the image of each point. */
export interface Sprite {
  picture: HTMLCanvasElement;
  columns: number;
  tiles: number;
  rows: Int32Array;
  /** Width and height of one image. */
  size: readonly [number, number];
}

const VERTEX = `
attribute vec3 tint;
attribute float emphasis;
attribute float tile;
uniform mat4 transform;
uniform float radius;
uniform float ratio;
varying vec3 vTint;
varying float vTile;
varying float vSize;
varying float vEmphasis;
void main() {
  vTint = tint;
  vTile = tile;
  vEmphasis = emphasis;
  gl_Position = transform * vec4(position, 1.0);
  gl_Position.z -= 0.2 * step(1.5, emphasis) * gl_Position.w;
  gl_Position.z += 0.2 * (1.0 - step(0.5, emphasis)) * gl_Position.w;
  vSize = 2.0 * ratio * radius * (emphasis > 1.5 ? 1.6 : 1.0) / gl_Position.w + 1.0;
  if (emphasis < -0.5) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = vSize;
}`;

const FRAGMENT = `
uniform sampler2D sprite;
uniform vec2 grid;
uniform float hasSprite;
uniform vec3 paper;
uniform vec3 ink;
uniform float ratio;
varying vec3 vTint;
varying float vTile;
varying float vSize;
varying float vEmphasis;
void main() {
  float faint = vEmphasis < 0.5 ? 0.8 : 0.0;
  vec3 color = mix(vTint, paper, faint);
  if (hasSprite > 0.5) {
    vec2 at = vec2(mod(vTile, grid.x), floor(vTile / grid.x));
    vec3 image = texture2D(sprite, (at + gl_PointCoord) / grid).rgb;
    vec2 away = abs(gl_PointCoord - 0.5) * vSize;
    float border = vSize / 2.0 - max(away.x, away.y);
    gl_FragColor = vec4(border < 1.5 * ratio ? color : mix(image, paper, faint), 1.0);
    return;
  }
  float inside = vSize / 2.0 - length((gl_PointCoord - 0.5) * vSize);
  if (inside < 0.0) discard;
  if (vEmphasis > 1.5 && inside < 1.5 * ratio) color = ink;
  gl_FragColor = vec4(color, min(1.0, inside));
}`;

/** Points that are drawn coarsely. */
const COARSE_POINTS = 10_000;

/** How a point is drawn: not at all, faintly, as usual, or with a rim. */
export const EMPHASIS = { hidden: -1, faint: 0, usual: 1, strong: 2 } as const;

/** Points in two or three dimensions. The renderer of the page is shared. */
export class PointScene {
  readonly #scene = new Scene();
  readonly #camera = new Camera();
  readonly #geometry = new BufferGeometry();
  readonly #material: ShaderMaterial;
  #texture: Texture | null = null;

  constructor() {
    this.#material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      uniforms: {
        transform: { value: new Matrix4() },
        radius: { value: 2 },
        ratio: { value: 1 },
        sprite: { value: null },
        grid: { value: [1, 1] },
        hasSprite: { value: 0 },
        paper: { value: [1, 1, 1] },
        ink: { value: [0, 0, 0] },
      },
    });
    const points = new Points(this.#geometry, this.#material);
    points.frustumCulled = false;
    this.#scene.add(points);
  }

  setPlaces(places: Float32Array): void {
    const points = places.length / 3;
    const index = this.#geometry.index;
    if (index?.count !== points) this.#geometry.setIndex(new BufferAttribute(evenly(points, Math.ceil(points / COARSE_POINTS)), 1));
    this.#set("position", places, 3);
  }

  /** Red, green and blue of each point, 0 to 255. */
  setColors(colors: Uint8Array, paper: Rgb, ink: Rgb): void {
    this.#geometry.setAttribute("tint", new BufferAttribute(colors, 3, true));
    this.#uniform("paper", unit(paper));
    this.#uniform("ink", unit(ink));
  }

  setEmphasis(emphasis: Float32Array): void {
    this.#set("emphasis", emphasis, 1);
  }

  setSprite(sprite: Sprite | null): void {
    this.#texture?.dispose();
    this.#texture = sprite && new CanvasTexture(sprite.picture);
    if (sprite && this.#texture) {
      this.#texture.flipY = false;
      this.#texture.generateMipmaps = false;
      this.#texture.minFilter = this.#texture.magFilter = NearestFilter;
      this.#set("tile", Float32Array.from(sprite.rows), 1);
      this.#uniform("grid", [sprite.columns, sprite.picture.height / sprite.size[1]]);
    }
    this.#uniform("sprite", this.#texture);
    this.#uniform("hasSprite", sprite ? 1 : 0);
  }

  /** Draws into the canvas of the shared renderer, all points or evenly spaced ones; null without WebGL. */
  render(transform: Float32Array, size: Viewport, ratio: number, radius: number, isCoarse: boolean): HTMLCanvasElement | null {
    const shared = sceneRenderer();
    if (!shared || !this.#geometry.hasAttribute("position")) return null;
    const { renderer } = shared;
    const [width, height] = [Math.max(1, Math.round(size.width * ratio)), Math.max(1, Math.round(size.height * ratio))];
    if (renderer.domElement.width !== width || renderer.domElement.height !== height) renderer.setSize(width, height, false);
    (this.#material.uniforms["transform"]!.value as Matrix4).fromArray(transform);
    this.#uniform("ratio", ratio);
    this.#uniform("radius", radius);
    this.#geometry.setDrawRange(0, isCoarse ? COARSE_POINTS : Infinity);
    renderer.render(this.#scene, this.#camera);
    return renderer.domElement;
  }

  dispose(): void {
    this.#texture?.dispose();
    this.#geometry.dispose();
    this.#material.dispose();
  }

  #set(name: string, values: Float32Array, size: number): void {
    this.#geometry.setAttribute(name, new BufferAttribute(values, size));
  }

  #uniform(name: string, value: unknown): void {
    this.#material.uniforms[name]!.value = value;
  }
}

/** All points: evenly spaced ones first, then those beside them. */
function evenly(points: number, stride: number): Uint32Array {
  const order = new Uint32Array(points);
  let next = 0;
  for (let first = 0; first < stride; first++) for (let point = first; point < points; point += stride) order[next++] = point;
  return order;
}

function unit([red, green, blue]: Rgb): [number, number, number] {
  return [red / 255, green / 255, blue / 255];
}
