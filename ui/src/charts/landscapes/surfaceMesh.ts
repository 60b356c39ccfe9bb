// SPDX-License-Identifier: Apache-2.0
import { BufferAttribute, BufferGeometry, DataTexture, DoubleSide, LinearFilter, Mesh, ShaderMaterial, Vector3 } from "three";

import { heightOf } from "../../core/landscapes/lossScale";
import { colorAt, type Rgb } from "../../core/scales/colorMap";
import type { DrawnLandscape, LandscapeLook } from "./drawnLandscape";
import type { Box } from "./surfaceBox";

const RAMP = 256;

const VERTEX = `
attribute float height;
varying float vHeight;
varying vec3 vNormal;
void main() {
  vHeight = height;
  vNormal = normal;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

/** Colors by height, so that they follow the loss exactly; lines where the height passes a level. */
const FRAGMENT = `
uniform sampler2D ramp;
uniform float light;
uniform float opacity;
uniform float levels;
uniform vec3 sun;
varying float vHeight;
varying vec3 vNormal;
void main() {
  vec3 color = texture2D(ramp, vec2(vHeight * 255.0 / 256.0 + 0.5 / 256.0, 0.5)).rgb;
  if (levels > 0.0) {
    float place = vHeight * (levels + 1.0);
    float away = abs(fract(place - 0.5) - 0.5) / max(fwidth(place), 0.00001);
    float line = (1.0 - smoothstep(0.4, 1.3, away)) * step(0.5, place) * step(place, levels + 0.5);
    float ink = step(dot(color, vec3(0.3, 0.59, 0.11)), 0.45);
    color = mix(color, vec3(ink), 0.35 * line);
  }
  vec3 normal = normalize(vNormal) * (gl_FrontFacing ? 1.0 : -1.0);
  float shade = 1.0 - light * 0.75 * (1.0 - max(dot(normal, sun), 0.0));
  gl_FragColor = vec4(color * shade, opacity);
}`;

/** The surface of a landscape; a cell with a corner that has no loss is a hole. `stride` leaves points out. */
export function surfaceGeometry({ landscape: { x, y }, surface, scale }: DrawnLandscape, box: Box, stride: number): BufferGeometry {
  const [columns, rows] = [strided(x.length, stride), strided(y.length, stride)];
  const position = new Float32Array(3 * columns.length * rows.length);
  const heights = new Float32Array(columns.length * rows.length);
  rows.forEach((row, r) =>
    columns.forEach((column, c) => {
      const index = r * columns.length + c;
      const height = heightOf(scale, surface.losses[row * x.length + column]!);
      heights[index] = height;
      position.set([box.across(x[column]!), box.up(Number.isNaN(height) ? 0 : height), box.away(y[row]!)], 3 * index);
    }),
  );
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(position, 3));
  geometry.setAttribute("height", new BufferAttribute(heights, 1));
  geometry.setIndex(new BufferAttribute(triangles(heights, columns.length, rows.length), 1));
  geometry.computeVertexNormals();
  return geometry;
}

/** Every `stride`-th index, and the last one. */
function strided(count: number, stride: number): number[] {
  const indices = Array.from({ length: Math.ceil(count / stride) }, (_, index) => index * stride);
  return indices.at(-1) === count - 1 ? indices : [...indices, count - 1];
}

function triangles(heights: Float32Array, columns: number, rows: number): Uint32Array {
  const found: number[] = [];
  for (let row = 0; row + 1 < rows; row++) {
    for (let column = 0; column + 1 < columns; column++) {
      const [a, b] = [row * columns + column, row * columns + column + 1];
      const [c, d] = [a + columns, b + columns];
      if (!Number.isNaN(heights[a]! + heights[b]! + heights[c]!)) found.push(a, b, c);
      else if (!Number.isNaN(heights[a]! + heights[b]! + heights[d]!)) found.push(a, b, d);
      if (!Number.isNaN(heights[b]! + heights[c]! + heights[d]!)) found.push(b, d, c);
      else if (!Number.isNaN(heights[a]! + heights[c]! + heights[d]!)) found.push(a, d, c);
    }
  }
  return Uint32Array.from(found);
}

export function surfaceMesh(geometry: BufferGeometry, stops: readonly Rgb[], look: LandscapeLook): Mesh {
  const isClear = look.opacity < 1;
  const material = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: {
      ramp: { value: rampOf(stops) },
      light: { value: look.light },
      opacity: { value: look.opacity },
      levels: { value: look.hasLines ? look.levels : 0 },
      sun: { value: new Vector3(-0.5, 0.75, 0.45).normalize() },
    },
    side: DoubleSide,
    transparent: isClear,
    depthWrite: !isClear,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  return new Mesh(geometry, material);
}

function rampOf(stops: readonly Rgb[]): DataTexture {
  const data = new Uint8Array(4 * RAMP);
  for (let place = 0; place < RAMP; place++) data.set([...colorAt(stops, place / (RAMP - 1)), 255], 4 * place);
  const texture = new DataTexture(data, RAMP, 1);
  texture.magFilter = texture.minFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}
