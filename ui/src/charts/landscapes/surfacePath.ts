// SPDX-License-Identifier: Apache-2.0
import { BufferAttribute, BufferGeometry, Points, ShaderMaterial, type Object3D } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

/** Opacity of what the surface covers, and of what is beyond the shown step. */
const [HIDDEN, LATER] = [0.28, 0.4];
const WIDTH = 2.5;

/** A line of some CSS pixels width through places, faint where the surface covers it. */
export function pathLine(places: Float32Array, color: string, isLater: boolean): Object3D[] {
  if (places.length < 6) return [];
  const geometry = new LineGeometry().setPositions(places);
  const line = (opacity: number, depthTest: boolean): Line2 => {
    const drawn = new Line2(
      geometry,
      new LineMaterial({
        color,
        linewidth: WIDTH,
        transparent: true,
        opacity: isLater ? opacity * LATER : opacity,
        depthTest,
        depthWrite: false,
      }),
    );
    drawn.renderOrder = depthTest ? 3 : 2;
    return drawn;
  };
  return [line(HIDDEN, false), line(1, true)];
}

/** Discs or crosses of some CSS pixels at places. */
export interface Marks {
  places: Float32Array;
  /** Radius of each in CSS pixels. */
  radii: ArrayLike<number>;
  /** Red, green and blue of each, 0 to 1. */
  colors: Float32Array;
  /** Color around each disc. */
  rim: readonly [number, number, number];
  isCross: boolean;
  /** Also drawn, faintly, where the surface covers it. */
  showsHidden: boolean;
}

const VERTEX = `
attribute float radius;
attribute vec3 tint;
uniform float ratio;
varying vec3 vTint;
varying float vSize;
void main() {
  vTint = tint;
  vSize = 2.0 * (radius + 1.0) * ratio;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_Position.z -= 0.004 * gl_Position.w;
  gl_PointSize = vSize;
}`;

const FRAGMENT = `
uniform float opacity;
uniform float ratio;
uniform float isCross;
uniform vec3 rim;
varying vec3 vTint;
varying float vSize;
void main() {
  vec2 at = (gl_PointCoord - 0.5) * vSize;
  if (isCross > 0.5) {
    float away = min(abs(at.x - at.y), abs(at.x + at.y)) / 1.414;
    if (away > 0.8 * ratio) discard;
    gl_FragColor = vec4(vTint, opacity);
    return;
  }
  float inside = vSize / 2.0 - length(at);
  if (inside < 0.0) discard;
  vec3 color = inside < 1.2 * ratio ? rim : vTint;
  gl_FragColor = vec4(color, opacity * min(1.0, inside));
}`;

export function markPoints({ places, radii, colors, rim, isCross, showsHidden }: Marks): Points[] {
  if (places.length === 0) return [];
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(places, 3));
  geometry.setAttribute("radius", new BufferAttribute(Float32Array.from(radii), 1));
  geometry.setAttribute("tint", new BufferAttribute(colors, 3));
  const points = (opacity: number, depthTest: boolean): Points => {
    const uniforms = {
      opacity: { value: opacity },
      ratio: { value: 1 },
      isCross: { value: isCross ? 1 : 0 },
      rim: { value: [...rim] },
    };
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms,
      transparent: true,
      depthTest,
      depthWrite: false,
    });
    const drawn = new Points(geometry, material);
    drawn.renderOrder = depthTest ? 5 : 4;
    return drawn;
  };
  return [...(showsHidden ? [points(HIDDEN, false)] : []), points(1, true)];
}

/** Lines and marks keep their size in CSS pixels, whatever the pixels of the picture. */
export function setPixelRatio(mark: Object3D, ratio: number): void {
  const { material } = mark as Partial<Points>;
  if (material instanceof LineMaterial) material.linewidth = WIDTH * ratio;
  else if (material instanceof ShaderMaterial && material.uniforms["ratio"]) material.uniforms["ratio"].value = ratio;
}
