// SPDX-License-Identifier: Apache-2.0
import { COLOR_MAPS } from "../landscapes/colorMaps";
import type { Cut } from "../landscapes/lossScale";
import { readPlaneWindow, WHOLE_PLANE, writePlaneWindow } from "../landscapes/planeWindow";
import { DEFAULT_CAMERA, readCamera, writeCamera } from "../scene/camera";
import { fields, flag, integer, oneOf, optional, pairOf, param, text, within, type Codec, type Param, type ValueOf } from "./schema";

export const FORMS = ["surface", "map"] as const;
/** 3-D surface or contour map. */
export type LandscapeForm = (typeof FORMS)[number];
/** Older addresses had contour lines without colors as a form of their own. */
const UNFILLED = "contours";
const FORM: Codec<LandscapeForm> = {
  read: (word) => (word === UNFILLED ? "map" : oneOf(FORMS).read(word)),
  write: oneOf(FORMS).write,
};
const FILLED: Param<boolean> = {
  ...flag("landscape_filled", "off", true),
  read: (query) => query.get("landscape_form") !== UNFILLED && query.get("landscape_filled") !== "off",
};

export interface LandscapeKey {
  run: string;
  tag: string;
}

export const LIMITS = {
  levels: [2, 60],
  height: [0.1, 4],
  opacity: [0.1, 1],
  light: [0, 1],
} as const;
type Limited = keyof typeof LIMITS;

const limitedTo = (name: Limited): Codec<number> => within(LIMITS[name][0], LIMITS[name][1]);
const LEVELS: Codec<number> = {
  read: (number) => {
    const levels = limitedTo("levels").read(number);
    return levels === null ? null : Math.round(levels);
  },
  write: String,
};

const CUT: Codec<Cut> = {
  read: (word) => (word === "none" ? "none" : within(-Infinity, Infinity).read(word)),
  write: String,
};

const KEY: Codec<LandscapeKey> = pairOf("run", "tag");
const CHOSEN: Param<readonly LandscapeKey[] | null> = {
  defaultValue: null,
  read: (query) => {
    const texts = query.getAll("landscape");
    const keys = texts.flatMap((key) => KEY.read(key) ?? []);
    return keys.length > 0 || texts.includes("none") ? keys : null;
  },
  write: (keys, query) => {
    if (keys?.length === 0) query.append("landscape", "none");
    keys?.forEach((key) => query.append("landscape", KEY.write(key)));
  },
};

/** What the page of landscapes looks like. */
export const LANDSCAPE_VIEW = fields({
  form: param("landscape_form", FORM, "surface"),
  /** A contour map has colors between its lines. */
  isFilled: FILLED,
  /** The shown landscapes; null for the newest one with a path of each of the first runs. */
  chosen: CHOSEN,
  colors: param("landscape_colors", oneOf(COLOR_MAPS), "viridis"),
  cut: param("landscape_cut", CUT, "auto"),
  levels: param("landscape_levels", LEVELS, 16),
  /** Vertical exaggeration. */
  height: param("landscape_height", limitedTo("height"), 1),
  opacity: param("landscape_opacity", limitedTo("opacity"), 1),
  light: param("landscape_light", limitedTo("light"), 0.7),
  hasPath: flag("landscape_path", "off", true),
  /** Contour lines on the surface. */
  hasLines: flag("landscape_lines", "off", true),
  /** All landscapes have the same colors and heights. */
  isShared: flag("landscape_scale", "off", true),
  hasPanel: flag("landscape_panel", "off", true),
  /** Several landscapes in one picture. */
  isOverlaid: flag("landscape_overlay", "on"),
  isReversed: flag("landscape_reversed", "on"),
  isLog: flag("landscape_log", "on"),
  /** Marks the points whose loss was computed. */
  hasPoints: flag("landscape_points", "on"),
  camera: param("camera", { read: readCamera, write: writeCamera }, DEFAULT_CAMERA),
  /** The shown part of contour lines and maps. */
  window: param("landscape_window", { read: readPlaneWindow, write: writePlaneWindow }, WHOLE_PLANE),
  /** The last step or epoch of the path that is drawn; null for all. */
  step: optional("landscape_step", integer),
  /** Key of the picture that has the whole page; null for all of them. */
  full: optional("landscape_full", text),
});
export type LandscapeView = ValueOf<typeof LANDSCAPE_VIEW>;

/** A number within its limits; the usual one for none. */
export function limited(name: Limited, value: number, usual: number): number {
  return limitedTo(name).read(String(value)) ?? usual;
}
