// SPDX-License-Identifier: Apache-2.0
/** The place of the viewer of a surface. Angles in degrees: azimuth around the vertical axis, elevation above the plane. */
export interface Camera {
  azimuth: number;
  elevation: number;
  zoom: number;
}

export const DEFAULT_CAMERA: Camera = { azimuth: -55, elevation: 32, zoom: 1 };
export const [NEAREST, FARTHEST] = [8, 0.4];
const [LOWEST, HIGHEST] = [0, 90];
const DEGREES_A_PIXEL = 0.4;

/** After a drag by some CSS pixels. */
export function orbited(camera: Camera, right: number, down: number): Camera {
  return tidyCamera({
    ...camera,
    azimuth: camera.azimuth - right * DEGREES_A_PIXEL,
    elevation: camera.elevation + down * DEGREES_A_PIXEL,
  });
}

export function zoomed(camera: Camera, factor: number): Camera {
  return tidyCamera({ ...camera, zoom: camera.zoom * factor });
}

/** Within the limits, and short in an address. */
function tidyCamera({ azimuth, elevation, zoom }: Camera): Camera {
  const turned = ((((azimuth + 180) % 360) + 360) % 360) - 180;
  return {
    azimuth: rounded(turned, 1),
    elevation: rounded(Math.min(HIGHEST, Math.max(LOWEST, elevation)), 1),
    zoom: rounded(Math.min(NEAREST, Math.max(FARTHEST, zoom)), 3),
  };
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals)) + 0;
}

export function writeCamera({ azimuth, elevation, zoom }: Camera): string {
  return [azimuth, elevation, zoom].join(",");
}

/** The default for anything that is no camera. */
export function readCamera(text: string): Camera {
  const numbers = text.split(",").map(Number);
  if (numbers.length !== 3 || !numbers.every(Number.isFinite)) return DEFAULT_CAMERA;
  const [azimuth, elevation, zoom] = numbers as [number, number, number];
  return tidyCamera({ azimuth, elevation, zoom });
}
