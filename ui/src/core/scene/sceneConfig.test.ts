// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { readSceneConfig } from "./sceneConfig";

test("the usual scene is that of no configuration", () => {
  const usual = { isOrthographic: false, fieldOfView: null, material: { name: null, values: {} }, lights: null, unused: [] };
  expect(readSceneConfig("")).toEqual(usual);
  expect(readSceneConfig("{}")).toEqual(usual);
});

test("the example of TensorBoard is used as a whole", () => {
  const config = readSceneConfig(
    JSON.stringify({
      camera: { cls: "PerspectiveCamera", fov: 75, aspect: 0.9 },
      lights: [
        { cls: "AmbientLight", color: "#ffffff", intensity: 0.75 },
        { cls: "DirectionalLight", color: "#fff", intensity: 0.75, position: [0, -1, 2] },
      ],
      material: { cls: "MeshStandardMaterial", roughness: 1, metalness: 0, color: 255 },
    }),
  );
  expect(config.unused).toEqual([]);
  expect(config.fieldOfView).toBe(75);
  expect(config.material).toEqual({ name: "MeshStandardMaterial", values: { roughness: 1, metalness: 0, color: "#0000ff" } });
  expect(config.lights).toEqual([
    { name: "AmbientLight", color: "#ffffff", intensity: 0.75, position: null },
    { name: "DirectionalLight", color: "#ffffff", intensity: 0.75, position: [0, -1, 2] },
  ]);
});

test("what is not used is named", () => {
  const config = readSceneConfig(
    JSON.stringify({
      camera: { cls: "CubeCamera", fov: 4000 },
      lights: [{ cls: "RectAreaLight" }, 7],
      material: { cls: "Mist", map: "https://elsewhere/picture.png", roughness: 9 },
      fog: true,
    }),
  );
  expect(config).toMatchObject({ isOrthographic: false, fieldOfView: null, material: { name: null, values: {} }, lights: [] });
  expect(config.unused).toEqual(["fog", "CubeCamera", "Mist", "material.map", "material.roughness", "RectAreaLight", "lights"]);
});

test("an orthographic camera is one", () => {
  expect(readSceneConfig('{"camera": {"cls": "OrthographicCamera"}}').isOrthographic).toBe(true);
});
