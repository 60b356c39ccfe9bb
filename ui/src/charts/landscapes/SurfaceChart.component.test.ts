// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import type { ComponentProps } from "svelte";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import { colorCount, savedPng } from "../../../tests/savedPicture";
import { DEFAULT_CAMERA } from "../../core/scene/camera";
import { mapStops } from "../../core/landscapes/colorMaps";
import type { Landscape } from "../../core/landscapes/landscape";
import { lossScale, sortedLosses } from "../../core/landscapes/lossScale";
import { WHOLE_PLANE } from "../../core/landscapes/planeWindow";
import { drawnSurface } from "../../core/landscapes/surface";
import type { TitledPicture } from "../frame/picture";
import type { LandscapeHover } from "./drawnLandscape";
import SurfaceChart from "./SurfaceChart.svelte";

type Props = ComponentProps<typeof SurfaceChart> & Record<string, unknown>;

const X = Float64Array.from({ length: 11 }, (_, index) => -1 + index / 5);
const LOSSES = Float64Array.from({ length: 121 }, (_, index) => X[index % 11]! ** 2 + X[Math.floor(index / 11)]! ** 2);

let offer: TitledPicture | null = null;
let hovered: LandscapeHover | null = null;

function open(losses = LOSSES, more: Partial<Landscape> = {}): Props {
  const path = {
    steps: [1, 2],
    x: Float64Array.of(0.8, 0),
    y: Float64Array.of(0.8, 0),
    loss: Float64Array.of(1.28, 0),
    offPlane: null,
    distances: null,
  };
  const landscape: Landscape = {
    run: "run",
    tag: "tag",
    id: "1",
    unit: "step",
    step_per_epoch: 0,
    decomposition: "PCA",
    x: X,
    y: X,
    losses,
    evaluated: null,
    path,
    convergence: null,
    facts: null,
    ...more,
  };
  const surface = drawnSurface(landscape);
  const scale = lossScale(sortedLosses([surface.losses]), false, "none")!;
  const stops = mapStops("viridis", false, () => [0, 0, 0]);
  const props: Props = render<Props>(SurfaceChart, {
    all: [{ landscape, surface, scale, color: "var(--series-0)", name: "run" }],
    upTo: [2],
    look: {
      stops,
      levels: 8,
      height: 1,
      opacity: 1,
      light: 0.7,
      hasPath: true,
      hasLines: true,
      hasPoints: false,
      window: WHOLE_PLANE,
      axes: ["x", "y"],
      lossName: "Loss",
    },
    camera: DEFAULT_CAMERA,
    label: "A bowl",
    oncamera: (camera) => (props.camera = camera),
    onhover: (next) => (hovered = next),
    onpicture: (next) => (offer = next),
  });
  chart().element().parentElement!.parentElement!.style.cssText = "position: fixed; inset: 0; width: 600px; height: 500px";
  return props;
}

const chart = () => page.getByTestId("landscape-surface");
const canvas = () => chart().element().querySelector("canvas")!;
const drawn = () => expect.poll(() => canvas().dataset["detail"]).toBe("fine");

function pointer(type: string, id: number, x: number, y: number): void {
  const { left, top } = canvas().getBoundingClientRect();
  const event = { bubbles: true, pointerId: id, clientX: left + x, clientY: top + y, button: type === "pointermove" ? -1 : 0 };
  chart().element().dispatchEvent(new PointerEvent(type, event));
}

test("two fingers zoom, one turns, and a double click goes back", async () => {
  const props = open();
  await drawn();
  chart().element().setPointerCapture = () => {};
  pointer("pointerdown", 1, 200, 250);
  pointer("pointerdown", 2, 400, 250);
  pointer("pointermove", 2, 500, 250);
  expect(props.camera).toEqual({ ...DEFAULT_CAMERA, zoom: 1.5 });
  pointer("pointerup", 2, 500, 250);
  pointer("pointermove", 1, 250, 250);
  expect(props.camera).toEqual({ ...DEFAULT_CAMERA, azimuth: DEFAULT_CAMERA.azimuth - 20, zoom: 1.5 });
  pointer("pointerup", 1, 250, 250);
  await userEvent.dblClick(chart());
  expect(props.camera).toEqual(DEFAULT_CAMERA);
});

test("the pointer finds checkpoints and points of the grid, from straight above where they are", async () => {
  const props = open();
  props.camera = { azimuth: -90, elevation: 90, zoom: 1 };
  await drawn();
  const at = async (across: number, down: number): Promise<LandscapeHover | null> => {
    pointer("pointermove", 1, across, down);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return hovered;
  };
  expect(await at(300, 250)).toMatchObject({ checkpoint: 1, point: -1 });
  const columns: number[] = [];
  for (let across = 140; across <= 460; across += 40) {
    const found = await at(across, 262);
    if (!found || found.checkpoint >= 0) continue;
    expect(Math.floor(found.point / 11), "the middle row").toBe(5);
    columns.push(found.point % 11);
  }
  expect(columns.length).toBeGreaterThan(5);
  expect(columns).toEqual(columns.toSorted((one, other) => one - other));
  const upwards = await at(330, 130);
  expect(Math.floor(upwards!.point / 11), "the second direction points up").toBeGreaterThan(5);
});

test("the file has the surface and its labels; holes let the page through", async () => {
  const whole = open();
  await drawn();
  const picture = await savedPng(offer!);
  expect(picture.width).toBeGreaterThan(500);
  expect(colorCount(picture, 30)).toBeGreaterThan(300);
  const frames = canvas().dataset["frames"];
  whole.look = { ...whole.look, opacity: 0.5, hasPoints: true, hasPath: false };
  await expect.poll(() => canvas().dataset["frames"]).not.toBe(frames);
});

test("a surface of nothing but holes is an empty box", async () => {
  open(LOSSES.map((_, index) => (index === 60 ? 1 : NaN)));
  await drawn();
  await expect.element(chart()).toHaveAttribute("aria-label", "A bowl");
});

test("the last checkpoint has the color of the legend, over checkpoints that are nearer and larger", async () => {
  const path = {
    steps: [1, 2, 3],
    x: Float64Array.of(0.1, -0.1, 0),
    y: Float64Array.of(-0.9, -0.1, 0),
    loss: Float64Array.of(0.8, 0.02, 0),
    offPlane: Float64Array.of(0, 1, 1),
    distances: null,
  };
  const props = open(LOSSES, { path, convergence: { x: 0, y: 0, loss: 0 } });
  props.upTo = [3];
  await drawn();
  const [{ data }, probe] = [await savedPng(offer!), document.createElement("canvas").getContext("2d")!];
  const color = document.createElement("span");
  chart().element().append(color);
  color.style.color = "var(--series-1)";
  probe.fillStyle = getComputedStyle(color).color;
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  const isNear = (at: number): boolean =>
    Math.abs(data[at]! - red!) + Math.abs(data[at + 1]! - green!) + Math.abs(data[at + 2]! - blue!) < 12;
  expect(Array.from({ length: data.length / 4 }, (_, pixel) => 4 * pixel).filter(isNear).length).toBeGreaterThan(12);
});
