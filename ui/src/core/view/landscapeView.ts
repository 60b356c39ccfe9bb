// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_CAMERA, readCamera, writeCamera, type Camera } from "../landscapes/camera";
import { COLOR_MAPS, type ColorMapName } from "../landscapes/colorMaps";
import type { Cut } from "../landscapes/lossScale";
import { isWholePlane, readPlaneWindow, WHOLE_PLANE, writePlaneWindow, type PlaneWindow } from "../landscapes/planeWindow";
import { wholeNumber } from "./queryValues";

export const FORMS = ["surface", "contours", "map"] as const;
/** 3-D surface, contour lines, or topographic map. */
export type LandscapeForm = (typeof FORMS)[number];

export interface LandscapeKey {
  run: string;
  tag: string;
}

/** What the page of landscapes looks like; all of it is in the address. */
export interface LandscapeView {
  form: LandscapeForm;
  /** The shown landscapes; null for the newest one with a path of each of the first runs. */
  chosen: readonly LandscapeKey[] | null;
  /** Several landscapes in one picture. */
  isOverlaid: boolean;
  /** All landscapes have the same colors and heights. */
  isShared: boolean;
  colors: ColorMapName;
  isReversed: boolean;
  levels: number;
  isLog: boolean;
  cut: Cut;
  /** Vertical exaggeration. */
  height: number;
  opacity: number;
  light: number;
  hasPath: boolean;
  /** Contour lines on the surface. */
  hasLines: boolean;
  /** Marks the points whose loss was computed. */
  hasPoints: boolean;
  camera: Camera;
  /** The shown part of contour lines and maps. */
  window: PlaneWindow;
  /** The last step or epoch of the path that is drawn; null for all. */
  step: number | null;
  hasPanel: boolean;
  /** Key of the picture that has the whole page; null for all of them. */
  full: string | null;
}

export const LIMITS = {
  levels: [2, 60],
  height: [0.1, 4],
  opacity: [0.1, 1],
  light: [0, 1],
} as const;

export function defaultLandscapeView(): LandscapeView {
  return {
    form: "surface",
    chosen: null,
    isOverlaid: false,
    isShared: true,
    colors: "viridis",
    isReversed: false,
    levels: 16,
    isLog: false,
    cut: "auto",
    height: 1,
    opacity: 1,
    light: 0.7,
    hasPath: true,
    hasLines: true,
    hasPoints: false,
    camera: DEFAULT_CAMERA,
    window: WHOLE_PLANE,
    step: null,
    hasPanel: true,
    full: null,
  };
}

const NUMBERS = ["levels", "height", "opacity", "light"] as const;
/** Switches that are on, and their word in an address where they are off; the same for those that are off. */
const ON = { hasPath: "landscape_path", hasLines: "landscape_lines", isShared: "landscape_scale", hasPanel: "landscape_panel" } as const;
const OFF = {
  isOverlaid: "landscape_overlay",
  isReversed: "landscape_reversed",
  isLog: "landscape_log",
  hasPoints: "landscape_points",
} as const;

export function describeLandscapes(view: LandscapeView, query: URLSearchParams): void {
  const usual = defaultLandscapeView();
  if (view.form !== usual.form) query.append("landscape_form", view.form);
  if (view.chosen?.length === 0) query.append("landscape", "none");
  for (const { run, tag } of view.chosen ?? []) query.append("landscape", JSON.stringify([run, tag]));
  if (view.colors !== usual.colors) query.append("landscape_colors", view.colors);
  if (view.cut !== usual.cut) query.append("landscape_cut", String(view.cut));
  for (const name of NUMBERS) if (view[name] !== usual[name]) query.append(`landscape_${name}`, String(view[name]));
  for (const [name, word] of Object.entries(ON)) if (!view[name as keyof typeof ON]) query.append(word, "off");
  for (const [name, word] of Object.entries(OFF)) if (view[name as keyof typeof OFF]) query.append(word, "on");
  if (writeCamera(view.camera) !== writeCamera(usual.camera)) query.append("camera", writeCamera(view.camera));
  if (!isWholePlane(view.window)) query.append("landscape_window", writePlaneWindow(view.window));
  if (view.step !== null) query.append("landscape_step", String(view.step));
  if (view.full !== null) query.append("landscape_full", view.full);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function landscapeViewOf(query: URLSearchParams): LandscapeView {
  const usual = defaultLandscapeView();
  const number = (name: (typeof NUMBERS)[number]): number => {
    const text = query.get(`landscape_${name}`);
    return text === null ? usual[name] : limited(name, Number(text), usual[name]);
  };
  const isOn = (name: keyof typeof ON): boolean => query.get(ON[name]) !== "off";
  const isOff = (name: keyof typeof OFF): boolean => query.get(OFF[name]) === "on";
  return {
    form: FORMS.find((form) => form === query.get("landscape_form")) ?? usual.form,
    chosen: chosenOf(query.getAll("landscape")),
    isOverlaid: isOff("isOverlaid"),
    isShared: isOn("isShared"),
    colors: COLOR_MAPS.find((map) => map === query.get("landscape_colors")) ?? usual.colors,
    isReversed: isOff("isReversed"),
    levels: Math.round(number("levels")),
    isLog: isOff("isLog"),
    cut: cutOf(query.get("landscape_cut")),
    height: number("height"),
    opacity: number("opacity"),
    light: number("light"),
    hasPath: isOn("hasPath"),
    hasLines: isOn("hasLines"),
    hasPoints: isOff("hasPoints"),
    camera: readCamera(query.get("camera")),
    window: readPlaneWindow(query.get("landscape_window")),
    step: wholeNumber(query.get("landscape_step")),
    hasPanel: isOn("hasPanel"),
    full: query.get("landscape_full"),
  };
}

/** A number within its limits; the usual one for none. */
export function limited(name: (typeof NUMBERS)[number], value: number, usual: number): number {
  const [low, high] = LIMITS[name];
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : usual;
}

function cutOf(text: string | null): Cut {
  if (text === "none") return "none";
  return text === null || text.trim() === "" || !Number.isFinite(Number(text)) ? "auto" : Number(text);
}

function chosenOf(texts: readonly string[]): LandscapeKey[] | null {
  if (texts.length === 0) return null;
  const keys = texts.flatMap(keyOf);
  return keys.length > 0 || texts.includes("none") ? keys : null;
}

function keyOf(text: string): LandscapeKey[] {
  try {
    const [run, tag] = JSON.parse(text) as unknown[];
    return typeof run === "string" && typeof tag === "string" ? [{ run, tag }] : [];
  } catch {
    return [];
  }
}
