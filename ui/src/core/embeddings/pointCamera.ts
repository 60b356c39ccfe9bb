// SPDX-License-Identifier: Apache-2.0
/** The size of a picture in CSS pixels. */
export interface Viewport {
  width: number;
  height: number;
}

/** The place of the viewer of points: angles in degrees, then a shift in halves of the shorter side. */
export interface PointCamera {
  azimuth: number;
  elevation: number;
  zoom: number;
  x: number;
  y: number;
}

export const DEFAULT_POINT_CAMERA: PointCamera = { azimuth: 30, elevation: 20, zoom: 1, x: 0, y: 0 };
const [NEAREST, FARTHEST] = [400, 0.2];
const DEGREES_A_PIXEL = 0.4;
/** Of the eye, where the farthest point has a distance of 1 from the middle. */
const DISTANCE = 3.2;
const FIT = 0.92;

export function turned(camera: PointCamera, right: number, down: number): PointCamera {
  return tidy({ ...camera, azimuth: camera.azimuth + right * DEGREES_A_PIXEL, elevation: camera.elevation + down * DEGREES_A_PIXEL });
}

/** Moves the picture by some CSS pixels. */
export function shifted(camera: PointCamera, right: number, down: number, size: Viewport): PointCamera {
  const half = Math.min(size.width, size.height) / 2 || 1;
  return tidy({ ...camera, x: camera.x + right / half, y: camera.y - down / half });
}

/** Zooms around a place of the picture in CSS pixels. */
export function zoomedAt(camera: PointCamera, factor: number, at: { x: number; y: number }, size: Viewport): PointCamera {
  const half = Math.min(size.width, size.height) / 2 || 1;
  const zoom = Math.min(NEAREST, Math.max(FARTHEST, camera.zoom * factor));
  const [x, y] = [(at.x - size.width / 2) / half, (size.height / 2 - at.y) / half];
  const scale = zoom / camera.zoom;
  return tidy({ ...camera, zoom, x: x - (x - camera.x) * scale, y: y - (y - camera.y) * scale });
}

function tidy({ azimuth, elevation, zoom, x, y }: PointCamera): PointCamera {
  const around = ((((azimuth + 180) % 360) + 360) % 360) - 180;
  return {
    azimuth: rounded(around, 1),
    elevation: rounded(Math.min(90, Math.max(-90, elevation)), 1),
    zoom: rounded(Math.min(NEAREST, Math.max(FARTHEST, zoom)), 3),
    x: rounded(x, 3),
    y: rounded(y, 3),
  };
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals)) + 0;
}

export function writePointCamera({ azimuth, elevation, zoom, x, y }: PointCamera): string {
  return [azimuth, elevation, zoom, x, y].join(",");
}

/** Null for anything that is no camera. */
export function readPointCamera(text: string): PointCamera | null {
  const numbers = text.split(",").map(Number);
  if (numbers.length !== 5 || !numbers.every((number) => Number.isFinite(number) && Math.abs(number) < 1e6)) return null;
  const [azimuth, elevation, zoom, x, y] = numbers as [number, number, number, number, number];
  return tidy({ azimuth, elevation, zoom, x, y });
}

/** From points within 1 of the middle to the clip space of WebGL, column by column; without turning in two dimensions. */
export function transformOf({ azimuth, elevation, zoom, x, y }: PointCamera, size: Viewport, isSpatial: boolean): Float32Array {
  const half = Math.min(size.width, size.height) || 1;
  const [across, up] = [half / size.width, half / size.height];
  const scale = FIT * zoom;
  const [around, above] = isSpatial ? [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180] : [0, 0];
  const [cosA, sinA, cosE, sinE] = [Math.cos(around), Math.sin(around), Math.cos(above), Math.sin(above)];
  // rows of the rotation: to the right, up, towards the eye
  const rotation = [
    [cosA, 0, sinA],
    [sinE * sinA, cosE, -sinE * cosA],
    [-cosE * sinA, sinE, cosE * cosA],
  ] as const;
  const nearing = isSpatial ? 1 / DISTANCE : 0;
  const matrix = new Float32Array(16);
  for (let axis = 0; axis < 3; axis++) {
    const weight = -rotation[2][axis]! * nearing;
    matrix[axis * 4] = scale * across * rotation[0][axis]! + x * across * weight;
    matrix[axis * 4 + 1] = scale * up * rotation[1][axis]! + y * up * weight;
    matrix[axis * 4 + 2] = isSpatial ? -0.5 * rotation[2][axis]! : 0;
    matrix[axis * 4 + 3] = weight;
  }
  matrix[12] = x * across;
  matrix[13] = y * up;
  matrix[15] = 1;
  return matrix;
}

/** Where points are in CSS pixels, and how far each is: x, y and depth of one after the other. */
export function projected(places: Float32Array, transform: Float32Array, { width, height }: Viewport): Float32Array {
  const seen = new Float32Array(places.length);
  const m = transform;
  for (let index = 0; index < places.length; index += 3) {
    const [x, y, z] = [places[index]!, places[index + 1]!, places[index + 2]!];
    const w = m[3]! * x + m[7]! * y + m[11]! * z + m[15]!;
    seen[index] = ((m[0]! * x + m[4]! * y + m[8]! * z + m[12]!) / w + 1) * 0.5 * width;
    seen[index + 1] = (1 - (m[1]! * x + m[5]! * y + m[9]! * z + m[13]!) / w) * 0.5 * height;
    seen[index + 2] = (m[2]! * x + m[6]! * y + m[10]! * z) / w;
  }
  return seen;
}
