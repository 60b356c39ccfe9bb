// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import type { ComponentProps } from "svelte";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import { mapStops } from "../../core/landscapes/colorMaps";
import type { Landscape } from "../../core/landscapes/landscape";
import { lossScale, sortedLosses } from "../../core/landscapes/lossScale";
import { isWholePlane, WHOLE_PLANE } from "../../core/landscapes/planeWindow";
import { drawnSurface } from "../../core/landscapes/surface";
import PlaneChart from "./PlaneChart.svelte";

type Props = ComponentProps<typeof PlaneChart> & Record<string, unknown>;

const X = Float64Array.from({ length: 11 }, (_, index) => -1 + index / 5);
const LOSSES = Float64Array.from({ length: 121 }, (_, index) => X[index % 11]! ** 2 + X[Math.floor(index / 11)]! ** 2);
const NO_FACTS = { evaluated: null, path: null, convergence: null, facts: null };
const LANDSCAPE: Landscape = {
  ...{ run: "run", tag: "tag", id: "1", unit: "step", step_per_epoch: 0, decomposition: "PCA" },
  ...{ x: X, y: X, losses: LOSSES, ...NO_FACTS },
};

async function open(): Promise<Props> {
  const surface = drawnSurface(LANDSCAPE);
  const scale = lossScale(sortedLosses([surface.losses]), false, "none")!;
  const drawing = { levels: 8, height: 1, opacity: 1, light: 0.7, hasPath: true, hasLines: true, hasPoints: false };
  const props: Props = render<Props>(PlaneChart, {
    all: [{ landscape: LANDSCAPE, surface, scale, color: "var(--series-0)", name: "run" }],
    upTo: [0],
    look: { ...drawing, stops: mapStops("viridis", false, () => [0, 0, 0]), window: WHOLE_PLANE, axes: ["x", "y"], lossName: "Loss" },
    isFilled: false,
    label: "A bowl",
    onwindow: (window) => (props.look = { ...props.look, window }),
    onhover: () => {},
    onpicture: () => {},
  });
  chart().element().parentElement!.parentElement!.style.cssText = "position: fixed; inset: 0; width: 600px; height: 500px";
  chart().element().setPointerCapture = () => {};
  await expect.poll(() => chart().element().querySelector("canvas")!.width).toBe(600 * devicePixelRatio);
  return props;
}

const chart = () => page.getByTestId("landscape-plane");

function send(event: Event): boolean {
  return chart().element().dispatchEvent(event);
}

function wheel(deltaY: number): boolean {
  return send(new WheelEvent("wheel", { bubbles: true, cancelable: true, deltaY, clientX: 300, clientY: 200 }));
}

function pointer(type: string, id: number, clientX: number, clientY: number): void {
  send(new PointerEvent(type, { bubbles: true, pointerId: id, clientX, clientY, button: type === "pointermove" ? -1 : 0 }));
}

const extent = ({ look: { window } }: Props): number => window.x[1] - window.x[0];

test("the wheel zooms, a drag moves, and a double click shows the whole plane", async () => {
  const props = await open();
  expect(wheel(-400)).toBe(false); // the page does not scroll
  expect(extent(props)).toBeCloseTo(1.15 ** -4, 3);
  const before = props.look.window;
  pointer("pointerdown", 1, 300, 200);
  pointer("pointermove", 1, 340, 200);
  pointer("pointerup", 1, 340, 200);
  expect(props.look.window.x[0]).toBeLessThan(before.x[0]);
  expect(props.look.window.y).toEqual(before.y);
  send(new MouseEvent("dblclick", { bubbles: true }));
  expect(isWholePlane(props.look.window)).toBe(true);
  expect(wheel(400)).toBe(true); // the page scrolls
});

test("two fingers and keys zoom", async () => {
  const props = await open();
  pointer("pointerdown", 1, 200, 250);
  pointer("pointerdown", 2, 300, 250);
  pointer("pointermove", 2, 400, 250);
  expect(extent(props)).toBeCloseTo(0.5, 3);
  pointer("pointerup", 1, 200, 250);
  pointer("pointerup", 2, 400, 250);
  (chart().element() as HTMLElement).focus();
  await userEvent.keyboard("+");
  expect(extent(props)).toBeCloseTo(0.5 / 1.15, 3);
  await userEvent.keyboard("0");
  expect(isWholePlane(props.look.window)).toBe(true);
});
