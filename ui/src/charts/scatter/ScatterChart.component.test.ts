// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import type { ComponentProps } from "svelte";
import { expect, test, vi } from "vitest";

import { render } from "../../../tests/render.svelte";
import { colorCount, savedPng, savedSvg } from "../../../tests/savedPicture";
import type { AxisChoice } from "../../core/lineage/axisScale";
import type { Brush } from "../../core/lineage/brushes";
import type { LineageCell, LineageColumn } from "../../core/lineage/column";
import type { TitledPicture } from "../frame/picture";
import ScatterChart from "./ScatterChart.svelte";

let offer: TitledPicture | null = null;

type Props = ComponentProps<typeof ScatterChart> & Record<string, unknown>;
type NumberRange = { low: number; high: number };

function axis(id: string, cells: readonly LineageCell[]): AxisChoice {
  const column: LineageColumn = {
    id,
    group: "metric",
    name: id,
    kind: "float",
    count: 0,
    low: null,
    high: null,
    differs: true,
    goal: "max",
    cells,
  };
  return { column, scale: "linear", isTurned: false };
}

const CELLS = Array.from({ length: 101 }, (_, row) => row / 100);
const chart = () => page.getByTestId("scatter-chart");

/** The chart in the state of a page. */
function open(brushes: [string, Brush[]][] = []): Props {
  const x = axis("loss", CELLS);
  const y = axis("accuracy", [...CELLS.slice(0, 100), null]);
  const props: Props = render<Props>(ScatterChart, {
    x,
    y,
    rows: CELLS.map((_, row) => row),
    colorBy: { column: y.column, scale: "linear" },
    brushes: new Map(brushes),
    label: "Accuracy over loss",
    onbrush: (id, next) => {
      const changed = new Map(props.brushes);
      if (next) changed.set(id, next);
      else changed.delete(id);
      props.brushes = changed;
    },
    onhover: vi.fn(),
    onselect: vi.fn(),
    onpicture: (next) => (offer = next),
  });
  const host = chart().element().parentElement!;
  host.style.cssText = "position: fixed; inset: 0; width: 600px; height: 500px";
  return props;
}

const range = (props: Props, id: string): string[] => {
  const { low, high } = props.brushes.get(id)![0] as NumberRange;
  return [low, high].map((value) => value.toFixed(1));
};

/** The area between the axes, in the chart: the canvas reaches 9 pixels beyond it. */
const area = () => {
  const [canvas, host] = [document.querySelector("canvas")!.getBoundingClientRect(), chart().element().getBoundingClientRect()];
  return { left: canvas.left - host.left + 9, top: canvas.top - host.top + 9, width: canvas.width - 18, height: canvas.height - 18 };
};
const at = (x: number, y: number) => ({ x: area().left + x * area().width, y: area().top + (1 - y) * area().height });
const ready = () => expect.poll(() => document.querySelector("canvas")?.getBoundingClientRect().width ?? 0).toBeGreaterThan(400);

async function drag(from: readonly [number, number], to: readonly [number, number]): Promise<void> {
  const element = chart().element();
  await userEvent.dragAndDrop(element, element, { sourcePosition: at(...from), targetPosition: at(...to) } as object);
}

test("a box brushes both columns, is moved and resized, and removed by a double click", async () => {
  const props = open();
  await ready();
  await drag([0.2, 0.3], [0.6, 0.8]);
  expect([range(props, "loss"), range(props, "accuracy")]).toEqual([
    ["0.2", "0.6"],
    ["0.3", "0.8"],
  ]);
  await drag([0.4, 0.5], [0.5, 0.6]);
  expect([range(props, "loss"), range(props, "accuracy")]).toEqual([
    ["0.3", "0.7"],
    ["0.4", "0.9"],
  ]);
  await drag([0.7, 0.6], [0.9, 0.7]);
  expect([range(props, "loss"), range(props, "accuracy")]).toEqual([
    ["0.3", "0.9"],
    ["0.4", "0.9"],
  ]);
  await userEvent.dblClick(chart(), { position: at(0.5, 0.6) });
  expect(props.brushes.size).toBe(0);
});

test("a brush of one column is a band, and moves along its axis only", async () => {
  const props = open([["loss", [{ low: 0.2, high: 0.4 }]]]);
  await ready();
  await expect.element(page.getByTestId("scatter-box")).toBeInTheDocument();
  await drag([0.3, 0.2], [0.5, 0.9]);
  expect(range(props, "loss")).toEqual(["0.4", "0.6"]);
  expect(props.brushes.has("accuracy")).toBe(false);
});

test("the keys make, move, resize and remove a box", async () => {
  const props = open();
  await ready();
  (chart().element() as HTMLElement).focus();
  await userEvent.keyboard("{Enter}{ArrowRight}{Shift>}{ArrowUp}{/Shift}");
  expect(props.brushes.get("loss")).toEqual([{ low: 0.26, high: 0.76 }]);
  expect((props.brushes.get("accuracy")![0] as NumberRange).high).toBeCloseTo(0.99 * 0.76, 2);
  await userEvent.keyboard("{Delete}");
  expect(props.brushes.size).toBe(0);
});

test("the point under the pointer is emphasized and selected by a click; runs without a place are counted", async () => {
  const props = open();
  await ready();
  await chart().hover({ position: at(0.5, 0.5 / 0.99) });
  await expect.element(page.getByTestId("hovered-point")).toBeInTheDocument();
  expect(props.onhover).toHaveBeenLastCalledWith(expect.objectContaining({ row: 50 }));
  await chart().click({ position: at(0.5, 0.5 / 0.99) });
  expect(props.onselect).toHaveBeenCalledWith(50);
  await expect.element(page.getByTestId("scatter-unplaced")).toHaveTextContent("1 run without a place");
});

test("the saved picture has the names of both axes and a point for each run", async () => {
  open();
  await ready();
  const svg = await savedSvg(offer!);
  const texts = [...svg.querySelectorAll("text")].map((text) => text.textContent);
  expect(texts).toEqual(expect.arrayContaining(["Title", "loss", "accuracy"]));
  const points = [...svg.querySelectorAll("path[stroke-opacity][stroke-linecap=round]")].map((path) => path.getAttribute("d")!);
  expect(points.join("").match(/M/g)).toHaveLength(100); // one run has no accuracy
  const [width, height] = [svg.width.baseVal.value, svg.height.baseVal.value];
  const png = await savedPng(offer!);
  expect([width, height]).toEqual([600, 528]);
  expect([png.width, png.height]).toEqual([2 * width, 2 * height]); // fine enough for print on any screen
  expect(colorCount(png, 60)).toBeGreaterThan(20);
});
