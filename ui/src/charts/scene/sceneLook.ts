// SPDX-License-Identifier: Apache-2.0
import {
  AmbientLight,
  DirectionalLight,
  DoubleSide,
  HemisphereLight,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshNormalMaterial,
  MeshPhongMaterial,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  MeshToonMaterial,
  PointLight,
  type Light,
  type Material,
} from "three";

import type { SceneConfig, SceneLight } from "../../core/scene/sceneConfig";
import type { MeshLook } from "./meshShape";
import type { Hex } from "./orbitScene";

const MATERIALS = {
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshNormalMaterial,
  MeshPhongMaterial,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  MeshToonMaterial,
  PointsMaterial: MeshStandardMaterial,
};

/** The material of a surface with two sides. */
export function surfaceMaterial({ config, isWireframe, color }: MeshLook, hasColors: boolean, hex: Hex): Material {
  const material: Material = new MATERIALS[config.material.name ?? "MeshStandardMaterial"]();
  const values = { color: hasColors ? "#ffffff" : hex(color), ...config.material.values };
  const wanted = { ...values, vertexColors: hasColors, side: DoubleSide, ...(isWireframe && { wireframe: true }) };
  material.setValues(Object.fromEntries(Object.entries(wanted).filter(([name]) => name in material)));
  if (material.opacity < 1) material.transparent = true;
  return material;
}

/** The lights of the configuration, which are fixed, or two, of which one goes with the camera. */
export function lightsOf({ lights }: SceneConfig): { light: Light; isFixed: boolean }[] {
  if (lights) return lights.map((light) => ({ light: lightOf(light), isFixed: true }));
  const head = lightOf({ name: "DirectionalLight", color: "#ffffff", intensity: 0.75, position: [0.35, 0.6, 1] });
  const ambient = lightOf({ name: "AmbientLight", color: "#ffffff", intensity: 0.4, position: null });
  return [
    { light: head, isFixed: false },
    { light: ambient, isFixed: true },
  ];
}

function lightOf({ name, color, intensity, position }: SceneLight): Light {
  // configurations mean the units of TensorBoard's three.js, which had no factor of pi
  const power = intensity * Math.PI;
  const light =
    name === "AmbientLight"
      ? new AmbientLight(color, power)
      : name === "HemisphereLight"
        ? new HemisphereLight(color, "#444444", power)
        : name === "PointLight"
          ? new PointLight(color, power, 0, 0)
          : new DirectionalLight(color, power);
  if (position) light.position.set(...position);
  return light;
}
