// SPDX-License-Identifier: Apache-2.0
/** What a recorded configuration of three.js says of a scene, as far as it is used. */
export interface SceneConfig {
  isOrthographic: boolean;
  /** Vertical angle of a perspective camera in degrees; null for the usual one. */
  fieldOfView: number | null;
  /** Null for the usual material. */
  material: { name: MaterialName | null; values: Readonly<Record<string, number | boolean | string>> };
  /** Null for the usual lights. */
  lights: readonly SceneLight[] | null;
  /** Names that are not used. */
  unused: readonly string[];
}

export const MATERIALS = [
  "MeshBasicMaterial",
  "MeshLambertMaterial",
  "MeshNormalMaterial",
  "MeshPhongMaterial",
  "MeshPhysicalMaterial",
  "MeshStandardMaterial",
  "MeshToonMaterial",
  "PointsMaterial",
] as const;
export type MaterialName = (typeof MATERIALS)[number];

export const LIGHTS = ["AmbientLight", "DirectionalLight", "HemisphereLight", "PointLight"] as const;

export interface SceneLight {
  name: (typeof LIGHTS)[number];
  /** #rrggbb. */
  color: string;
  intensity: number;
  position: readonly [number, number, number] | null;
}

const CAMERAS = ["PerspectiveCamera", "OrthographicCamera"];
const [NARROWEST, WIDEST] = [5, 120];
const MOST_LIGHTS = 8;

type Fields = Readonly<Record<string, unknown>>;

/** Numbers and switches of materials, and what they may be. */
const VALUES: Readonly<Record<string, (value: unknown) => number | boolean | string | null>> = {
  color: colorOf,
  emissive: colorOf,
  specular: colorOf,
  metalness: (value) => within(value, 0, 1),
  opacity: (value) => within(value, 0, 1),
  roughness: (value) => within(value, 0, 1),
  shininess: (value) => within(value, 0, 1000),
  size: (value) => within(value, 0, Infinity),
  flatShading: booleanOf,
  transparent: booleanOf,
  wireframe: booleanOf,
};
/** Said by TensorBoard's examples, and decided by the chart itself. */
const IMPLIED = new Set(["aspect", "cls", "far", "near", "side", "vertexColors"]);

/** The configuration in a JSON object, or in "" the usual one. What it does not know is named. */
export function readSceneConfig(json: string): SceneConfig {
  const config = json === "" ? {} : fieldsOf(JSON.parse(json));
  const unused: string[] = Object.keys(config).filter((name) => !["camera", "material", "lights"].includes(name));
  const camera = fieldsOf(config["camera"]);
  const cameraName = textOf(camera["cls"]);
  if (cameraName !== "" && !CAMERAS.includes(cameraName)) unused.push(cameraName);
  unused.push(...unknown(camera, ["fov"], "camera"));
  return {
    isOrthographic: cameraName === "OrthographicCamera",
    fieldOfView: within(camera["fov"], NARROWEST, WIDEST),
    material: readMaterial(fieldsOf(config["material"]), unused),
    lights: Array.isArray(config["lights"]) ? readLights(config["lights"], unused) : null,
    unused,
  };
}

function readMaterial(material: Fields, unused: string[]): SceneConfig["material"] {
  const name = MATERIALS.find((one) => one === material["cls"]) ?? null;
  if (name === null && textOf(material["cls"]) !== "") unused.push(textOf(material["cls"]));
  const values: Record<string, number | boolean | string> = {};
  for (const [field, read] of Object.entries(VALUES)) {
    const value = read(material[field]);
    if (value !== null) values[field] = value;
  }
  unused.push(...unknown(material, Object.keys(values), "material"));
  return { name, values };
}

function readLights(lights: readonly unknown[], unused: string[]): SceneLight[] {
  const read = lights.flatMap((light) => {
    const fields = fieldsOf(light);
    const name = LIGHTS.find((one) => one === fields["cls"]);
    if (name === undefined) {
      unused.push(textOf(fields["cls"]) || "lights");
      return [];
    }
    unused.push(...unknown(fields, ["color", "intensity", "position"], name));
    const color = colorOf(fields["color"]) ?? "#ffffff";
    return [{ name, color, intensity: within(fields["intensity"], 0, 100) ?? 1, position: placeOf(fields["position"]) }];
  });
  return read.slice(0, MOST_LIGHTS);
}

function unknown(fields: Fields, used: readonly string[], owner: string): string[] {
  return Object.keys(fields).flatMap((name) => (used.includes(name) || IMPLIED.has(name) ? [] : [`${owner}.${name}`]));
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function booleanOf(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}

function within(value: unknown, least: number, most: number): number | null {
  return typeof value === "number" && value >= least && value <= most ? value : null;
}

function placeOf(value: unknown): [number, number, number] | null {
  const isPlace = Array.isArray(value) && value.length === 3 && value.every((part) => Number.isFinite(part));
  return isPlace ? (value as [number, number, number]) : null;
}

/** #rrggbb of a number or of a text such as "#fff"; null for anything else. */
function colorOf(value: unknown): string | null {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffffff)
    return `#${value.toString(16).padStart(6, "0")}`;
  const text = textOf(value).toLowerCase();
  if (/^#[0-9a-f]{6}$/.test(text)) return text;
  return /^#[0-9a-f]{3}$/.test(text) ? `#${[...text.slice(1)].map((digit) => digit + digit).join("")}` : null;
}
