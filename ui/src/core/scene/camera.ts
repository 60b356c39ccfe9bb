// SPDX-License-Identifier: Apache-2.0
/** Where a scene is seen from. Angles in degrees: azimuth around the vertical axis, elevation above the horizontal plane. */
export interface Camera {
  azimuth: number;
  elevation: number;
  zoom: number;
}

export const DEFAULT_CAMERA: Camera = { azimuth: -55, elevation: 32, zoom: 1 };
export const [NEAREST, FARTHEST] = [8, 0.4];
const HIGHEST = 90;
const DEGREES_A_PIXEL = 0.4;

/** After a drag by some CSS pixels; `lowest` is the least elevation. */
export function orbited(camera: Camera, right: number, down: number, lowest = 0): Camera {
  const turned = {
    ...camera,
    azimuth: camera.azimuth - right * DEGREES_A_PIXEL,
    elevation: camera.elevation + down * DEGREES_A_PIXEL,
  };
  return tidyCamera(turned, lowest);
}

export function zoomed(camera: Camera, factor: number): Camera {
  return tidyCamera({ ...camera, zoom: camera.zoom * factor }, -HIGHEST);
}

/** Within the limits, and short in an address. */
function tidyCamera({ azimuth, elevation, zoom }: Camera, lowest: number): Camera {
  const turned = ((((azimuth + 180) % 360) + 360) % 360) - 180;
  return {
    azimuth: rounded(turned, 1),
    elevation: rounded(Math.min(HIGHEST, Math.max(lowest, elevation)), 1),
    zoom: rounded(Math.min(NEAREST, Math.max(FARTHEST, zoom)), 3),
  };
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals)) + 0;
}

export function writeCamera({ azimuth, elevation, zoom }: Camera): string {
  return [azimuth, elevation, zoom].join(",");
}

export function isSameCamera(one: Camera, other: Camera): boolean {
  return writeCamera(one) === writeCamera(other);
}

/** The default for anything that is no camera. */
export function readCamera(text: string, lowest = 0): Camera {
  const numbers = text.split(",").map(Number);
  if (numbers.length !== 3 || !numbers.every(Number.isFinite)) return DEFAULT_CAMERA;
  const [azimuth, elevation, zoom] = numbers as [number, number, number];
  return tidyCamera({ azimuth, elevation, zoom }, lowest);
}
