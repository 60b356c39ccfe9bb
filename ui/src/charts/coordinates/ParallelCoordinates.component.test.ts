// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import type { ComponentProps } from "svelte";
import { expect, test, vi } from "vitest";

import { render } from "../../../tests/render.svelte";
import { colorCount, savedPng, savedSvg } from "../../../tests/savedPicture";
import type { AxisChoice } from "../../core/lineage/axisScale";
import type { Brush } from "../../core/lineage/brushes";
import type { LineageCell, LineageColumn, ScaleKind } from "../../core/lineage/column";
import type { TitledPicture } from "../frame/picture";
import ParallelCoordinates from "./ParallelCoordinates.svelte";

function axis(id: string, scale: ScaleKind, cells: readonly LineageCell[]): AxisChoice {
  const kind = cells.some((cell) => typeof cell === "string") ? "text" : "float";
  const column: LineageColumn = {
    id,
    group: "parameter",
    name: id,
    kind,
    count: 0,
    low: null,
    high: null,
    differs: true,
    goal: "max",
    cells,
  };
  return { column, scale, isTurned: false };
}

const AXES = [
  axis("lr", "log", [0.001, 0.01, 0.1, 1]),
  axis("optimizer", "category", ["adam", "sgd", "lion", "sgd"]),
  axis("dropout", "linear", [0, 0.5, null, 1]),
];

let offer: TitledPicture | null = null;

type Props = ComponentProps<typeof ParallelCoordinates> & Record<string, unknown>;

/** The chart in the state of a page. */
function open(brushes: [string, Brush[]][] = []): Props {
  document.body.style.cssText = "position: fixed; inset: 0; width: 900px";
  const props: Props = render<Props>(ParallelCoordinates, {
    axes: AXES,
    rows: [0, 1, 2, 3],
    colorBy: { column: AXES[2]!.column, scale: "linear" },
    brushes: new Map(brushes),
    label: "Sweep",
    onbrush: (id, next) => {
      const changed = new Map(props.brushes);
      if (next) changed.set(id, next);
      else changed.delete(id);
      props.brushes = changed;
    },
    onaxes: (axes) => (props.axes = axes),
    onhover: vi.fn(),
    onselect: vi.fn(),
    onpicture: (next) => (offer = next),
  });
  document.querySelector<HTMLElement>("[data-testid=parallel-coordinates]")!.parentElement!.style.height = "400px";
  return props;
}

const part = (column: string, testid: string): HTMLElement =>
  document.querySelector(`[data-column="${column}"] [data-testid="${testid}"], [data-column="${column}"][data-testid="${testid}"]`)!;
/** Axes have their room, and are at rest. */
const ready = () =>
  expect
    .poll(() => (part("dropout", "axis-track")?.getBoundingClientRect().height ?? 0) > 100 && document.getAnimations().length === 0)
    .toBe(true);

/** Drags with the mouse between two places of an axis: 0 at its lower end, 1 at its upper end. */
async function drag(column: string, from: number, to: number, testid = "axis-track"): Promise<void> {
  const track = part(column, testid);
  const { width, height } = track.getBoundingClientRect();
  const at = (share: number) => ({ x: width / 2, y: 4 + (1 - share) * (height - 8) });
  await userEvent.dragAndDrop(track, track, { sourcePosition: at(from), targetPosition: at(to), force: true } as object);
}

const focus = (name: string): void => (slider(name).element() as SVGElement).focus();
const slider = (name: string) => page.getByRole("slider", { name, exact: true });

test("drags make brushes on several axes, in the units of the data", async () => {
  const props = open();
  await ready();
  await drag("dropout", 0.25, 0.75);
  await drag("lr", 0.5, 1);
  const [dropout, lr] = [props.brushes.get("dropout"), props.brushes.get("lr")] as { low: number; high: number }[][];
  expect(dropout![0]!.low).toBeCloseTo(0.25, 1);
  expect(dropout![0]!.high).toBeCloseTo(0.75, 1);
  expect(Math.log10(lr![0]!.low)).toBeCloseTo(-1.5, 1);
  expect(lr![0]!.high).toBe(1);
});

test("a brush is moved, resized at both ends, and removed by a double click", async () => {
  const props = open([["dropout", [{ low: 0.25, high: 0.5 }]]]);
  await ready();
  const range = () => props.brushes.get("dropout")![0] as { low: number; high: number };
  await drag("dropout", 0.375, 0.575);
  expect([range().low, range().high].map((value) => value.toFixed(1))).toEqual(["0.5", "0.7"]);
  await drag("dropout", 0.7, 0.9);
  expect([range().low, range().high].map((value) => value.toFixed(1))).toEqual(["0.5", "0.9"]);
  await drag("dropout", 0.45, 0.2);
  expect([range().low, range().high].map((value) => value.toFixed(1))).toEqual(["0.2", "0.9"]);
  await userEvent.dblClick(part("dropout", "brush").querySelector(".body")!);
  expect(props.brushes.size).toBe(0);
});

test("of several brushes of an axis each is removed by its cross", async () => {
  const props = open([
    [
      "dropout",
      [
        { low: 0.1, high: 0.3 },
        { low: 0.6, high: 0.8 },
      ],
    ],
  ]);
  await ready();
  await userEvent.click(part("dropout", "remove-brush"), { force: true });
  expect(props.brushes.get("dropout")).toHaveLength(1);
  expect((props.brushes.get("dropout")![0] as { low: number }).low).toBeCloseTo(0.6, 2);
});

test("a click selects one category more or less, a drag several", async () => {
  const props = open();
  await ready();
  await drag("optimizer", 1 / 6, 1 / 6);
  expect(props.brushes.get("optimizer")).toEqual([{ values: ["adam"] }]);
  await drag("optimizer", 5 / 6, 5 / 6);
  expect(props.brushes.get("optimizer")).toEqual([{ values: ["adam", "sgd"] }]);
  await drag("optimizer", 1 / 6, 1 / 6);
  expect(props.brushes.get("optimizer")).toEqual([{ values: ["sgd"] }]);
  props.brushes = new Map();
  await expect.poll(() => part("optimizer", "brush")).toBeNull();
  await drag("optimizer", 0.1, 0.5);
  expect(props.brushes.get("optimizer")).toEqual([{ values: ["adam", "lion"] }]);
});

test("runs without a value are selected at the mark below their axis", async () => {
  const props = open();
  await ready();
  await expect.element(page.getByText("1 missing").first()).toBeInTheDocument();
  await userEvent.click(part("dropout", "axis-gap"));
  expect(props.brushes.get("dropout")).toEqual([{ gaps: ["missing"] }]);
  await userEvent.click(part("dropout", "axis-gap"));
  expect(props.brushes.size).toBe(0);
});

test("the keys make, resize, move and remove a brush", async () => {
  const props = open();
  await ready();
  part("dropout", "axis-track").focus();
  await userEvent.keyboard("{Enter}");
  expect(props.brushes.get("dropout")).toEqual([{ low: 0.25, high: 0.75 }]);
  focus("Upper end of the brush on dropout");
  await userEvent.keyboard("{Shift>}{ArrowUp}{/Shift}{ArrowDown}");
  expect(props.brushes.get("dropout")).toEqual([{ low: 0.25, high: 0.84 }]);
  focus("Lower end of the brush on dropout");
  await userEvent.keyboard("{ArrowUp}");
  expect(props.brushes.get("dropout")).toEqual([{ low: 0.26, high: 0.84 }]);
  focus("Brush on dropout");
  await userEvent.keyboard("{Shift>}{ArrowUp}{/Shift}");
  expect(props.brushes.get("dropout")).toEqual([{ low: 0.36, high: 0.94 }]);
  await expect.element(slider("Brush on dropout")).toHaveAttribute("aria-valuetext", "0.36 – 0.94");
  await userEvent.keyboard("{Delete}");
  expect(props.brushes.size).toBe(0);
});

test("Escape takes a brush back while it is dragged", async () => {
  const props = open([["dropout", [{ low: 0.25, high: 0.5 }]]]);
  await ready();
  const track = part("dropout", "axis-track");
  const { left, top, width, height } = track.getBoundingClientRect();
  const at = (type: string, share: number): void => {
    const place = { clientX: left + width / 2, clientY: top + (1 - share) * height };
    track.dispatchEvent(new PointerEvent(type, { ...place, bubbles: true, button: 0, buttons: 1, pointerId: 1 }));
  };
  track.setPointerCapture = () => {};
  at("pointerdown", 0.4);
  at("pointermove", 0.6);
  await expect.poll(() => (props.brushes.get("dropout")![0] as { low: number }).low).toBeGreaterThan(0.4);
  await userEvent.keyboard("{Escape}");
  expect(props.brushes.get("dropout")).toEqual([{ low: 0.25, high: 0.5 }]);
});

test("a dragged head takes its axis to another place", async () => {
  const props = open();
  await ready();
  await userEvent.dragAndDrop(part("lr", "axis-head"), part("dropout", "axis-head"));
  expect(props.axes.map(({ column }) => column.id)).toEqual(["optimizer", "dropout", "lr"]);
});

test("the keys move an axis, and remove it", async () => {
  const props = open();
  await ready();
  part("lr", "axis-head").focus();
  await userEvent.keyboard("{ArrowRight}");
  expect(props.axes.map(({ column }) => column.id)).toEqual(["optimizer", "lr", "dropout"]);
  await expect.poll(() => document.activeElement).toBe(part("lr", "axis-head"));
  await userEvent.keyboard("{Delete}");
  expect(props.axes.map(({ column }) => column.id)).toEqual(["optimizer", "dropout"]);
});

test("the menu of an axis turns it over and changes its scale", async () => {
  const props = open();
  await ready();
  await userEvent.click(part("dropout", "axis-head"));
  await page.getByRole("button", { name: "Flip axis" }).click();
  expect(props.axes[2]!.isTurned).toBe(true);
  await userEvent.click(part("lr", "axis-head"));
  await expect.element(page.getByRole("button", { name: "Log" })).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "Linear" }).click();
  expect(props.axes[0]!.scale).toBe("linear");
  await userEvent.click(part("optimizer", "axis-head"));
  await expect.element(page.getByRole("button", { name: "Flip axis" })).toBeInTheDocument();
  await expect.element(page.getByRole("button", { name: "Linear" })).not.toBeInTheDocument();
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("button", { name: "Flip axis" })).not.toBeInTheDocument();
});

test("the line under the pointer is emphasized, and selected by a click", async () => {
  const props = open();
  await ready();
  const lines = page.getByTestId("coordinates-lines");
  const [from, to] = [part("lr", "axis-track").getBoundingClientRect(), part("optimizer", "axis-track").getBoundingClientRect()];
  const content = lines.element().getBoundingClientRect();
  const [x1, x2] = [from.left + from.width / 2, to.left + to.width / 2];
  const [bottom, low] = [from.bottom - 4, to.bottom - 4 - (to.height - 8) / 6];
  const position = { x: (x1 + x2) / 2 - content.left, y: (bottom + low) / 2 - content.top };
  await lines.hover({ position: { ...position } });
  await expect.element(page.getByTestId("hovered-line")).toBeInTheDocument();
  expect(props.onhover).toHaveBeenLastCalledWith(expect.objectContaining({ row: 0 }));
  await lines.click({ position: { ...position } });
  expect(props.onselect).toHaveBeenCalledWith(0);
  await lines.hover({ position: { x: position.x, y: content.height - 2 } });
  expect(props.onhover).toHaveBeenLastCalledWith(null);
});

test.each([360, 640, 900])("menus of all axes open inside a chart of %i pixels", async (width) => {
  open();
  const host = page.getByTestId("parallel-coordinates").element() as HTMLElement;
  host.parentElement!.style.width = `${width}px`;
  await ready();
  const whole = host.scrollWidth;
  for (const id of ["lr", "optimizer", "dropout"]) {
    part(id, "axis-head").scrollIntoView({ inline: "nearest" });
    await userEvent.click(part(id, "axis-head"));
    const menu = page.getByTestId("axis-menu");
    await expect.element(menu).toBeInTheDocument();
    await expect.poll(() => menu.element().getBoundingClientRect().right).toBeLessThanOrEqual(host.getBoundingClientRect().right);
    const [box, room] = [menu.element().getBoundingClientRect(), host.getBoundingClientRect()];
    expect(box.left).toBeGreaterThanOrEqual(room.left);
    expect(box.bottom).toBeLessThanOrEqual(room.bottom);
    expect(host.scrollWidth).toBe(whole);
    await userEvent.keyboard("{Escape}");
  }
});

test("the saved picture has the names of the axes and a line for each run", async () => {
  open();
  await ready();
  const svg = await savedSvg(offer!);
  const texts = [...svg.querySelectorAll("text")].map((text) => text.textContent);
  expect(texts).toEqual(expect.arrayContaining(["Title", "lr", "optimizer", "dropout"]));
  const lines = [...svg.querySelectorAll("path[stroke-opacity]")].map((path) => path.getAttribute("d")!);
  expect(lines.join("").match(/M[^ML]+L[^L]+L[^LM]+/g)).toHaveLength(4);
  const [width, height] = [svg.width.baseVal.value, svg.height.baseVal.value];
  const png = await savedPng(offer!);
  expect([width, height]).toEqual([900, 428]);
  expect([png.width, png.height]).toEqual([2 * width, 2 * height]); // fine enough for print on any screen
  expect(colorCount(png, 60)).toBeGreaterThan(20);
});
