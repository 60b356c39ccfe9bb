// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import { expect, test, vi } from "vitest";

import { render } from "../../../tests/render.svelte";
import { AxisScale } from "../../core/lineage/axisScale";
import type { LineageCell, LineageColumn, ScaleKind } from "../../core/lineage/column";
import { targetGrid } from "../../core/lineage/targetGroups";
import { pictureFile, type TitledPicture } from "../frame/picture";
import ImportanceBars from "./ImportanceBars.svelte";
import TargetHeat from "./TargetHeat.svelte";

type Offer = TitledPicture | null;

const ROWS = [0, 1, 2, 3];

function scaleOf(id: string, scale: ScaleKind, cells: readonly LineageCell[]): AxisScale {
  const kind = scale === "category" ? "text" : "float";
  const column: LineageColumn = { id, group: "metric", name: id, kind, count: 0, low: null, high: null, differs: true, goal: "max", cells };
  return new AxisScale({ column, scale, isTurned: false }, ROWS);
}

const X = scaleOf("lr", "linear", [0, 0.2, 1, 1]);
const Y = scaleOf("optimizer", "category", ["adam", "adam", "sgd", "sgd"]);
const TARGET = scaleOf("accuracy", "linear", [0.2, 0.4, 0.9, null]);

/** The file that the chart offers to save. */
async function svgOf(offer: Offer): Promise<string> {
  return (await pictureFile(offer!("Title"), "svg")).text();
}

function sized(testid: string): DOMRect {
  const chart = page.getByTestId(testid).element() as HTMLElement;
  chart.parentElement!.style.cssText = "position: fixed; inset: 0; width: 600px; height: 400px";
  return chart.getBoundingClientRect();
}

test("the heat map says which cell is pointed at, counts what it leaves out, and is saved", async () => {
  let offer: Offer = null;
  const onhover = vi.fn();
  const grid = targetGrid(X, Y, TARGET.column, ROWS, 2);
  render(TargetHeat, { x: X, y: Y, target: TARGET.column, grid, label: "Heat", onhover, onpicture: (next: Offer) => (offer = next) });
  sized("target-heat");
  await expect.element(page.getByText("1 run without a value")).toBeInTheDocument();
  await expect.element(page.getByText("sgd")).toBeInTheDocument();
  await page.getByTestId("target-heat").hover({ position: { x: 150, y: 300 } });
  expect(onhover).toHaveBeenLastCalledWith(expect.objectContaining({ cell: 0 }));
  await page.getByTestId("target-heat").hover({ position: { x: 500, y: 100 } });
  expect(onhover).toHaveBeenLastCalledWith(expect.objectContaining({ cell: 3 }));
  expect(await svgOf(offer)).toContain(">optimizer</text>");
});

test("importance shows a value for each parameter, and none if there is none", async () => {
  const onhover = vi.fn();
  const bars = [
    { id: "lr", name: "lr", group: "parameter" as const, estimate: { value: -0.8, low: -0.9, high: -0.6 } },
    { id: "seed", name: "seed", group: "parameter" as const, estimate: null },
  ];
  render(ImportanceBars, { bars, isSigned: true, label: "Importance", onhover });
  sized("importance-bars");
  await expect.element(page.getByText("−0.80")).toBeInTheDocument();
  await expect.element(page.getByText("indistinguishable from 0")).not.toBeInTheDocument();
  await expect.element(page.getByText("–", { exact: true })).toBeInTheDocument();
  await page.getByTestId("importance-bars").hover({ position: { x: 100, y: 55 } });
  expect(onhover).toHaveBeenLastCalledWith(expect.objectContaining({ id: "seed" }));
});

test("importance says which values are indistinguishable from 0", async () => {
  const estimates = { lr: { value: 0.5, low: 0.4, high: 0.6 }, seed: { value: 0.05, low: -0.1, high: 0.2 } };
  const bars = Object.entries(estimates).map(([id, estimate]) => ({ id, name: id, group: "parameter" as const, estimate }));
  render(ImportanceBars, { bars, isSigned: false, label: "Importance" });
  sized("importance-bars");
  await expect.element(page.getByText("indistinguishable from 0")).toBeInTheDocument();
  expect(page.getByText("indistinguishable from 0").elements()).toHaveLength(1);
});

test("intervals stay beside the names of the parameters", async () => {
  let offer: Offer = null;
  const estimates = { lr: { value: 0.5, low: 0.4, high: 0.6 }, decay: { value: -0.2, low: -3, high: 0.2 } };
  const bars = Object.entries(estimates).map(([id, estimate]) => ({ id, name: id, group: "parameter" as const, estimate }));
  render(ImportanceBars, { bars, isSigned: false, label: "Importance", onpicture: (next: Offer) => (offer = next) });
  sized("importance-bars");
  await expect.element(page.getByText("−0.20")).toBeInTheDocument();
  const paths = [...(await svgOf(offer)).matchAll(/ d="M(?<x>-?[\d.]+)/g)].map(({ groups }) => Number(groups!.x));
  const names = 600 * 0.34;
  expect(paths.filter((x) => x > 20).length).toBeGreaterThan(2);
  expect(paths.filter((x) => x > 20 && x < names - 0.5)).toEqual([]);
});

test("arrow keys reach each bar, and the focus leaves with Escape", async () => {
  const onhover = vi.fn();
  const bars = ["lr", "depth"].map((id) => ({
    id,
    name: id,
    group: "parameter" as const,
    estimate: { value: 0.5, low: 0.4, high: 0.6 },
  }));
  render(ImportanceBars, { bars, isSigned: false, label: "Importance", onhover });
  sized("importance-bars");
  const chart = page.getByTestId("importance-bars").element() as HTMLElement;
  chart.focus();
  expect(chart.getAttribute("aria-label")).toContain("Arrow keys");
  await userEvent.keyboard("{ArrowDown}");
  expect(onhover).toHaveBeenLastCalledWith(expect.objectContaining({ id: "lr", isKeyboard: true }));
  await userEvent.keyboard("{ArrowDown}");
  expect(onhover).toHaveBeenLastCalledWith(expect.objectContaining({ id: "depth", isKeyboard: true }));
  await userEvent.keyboard("{Escape}");
  expect(onhover).toHaveBeenLastCalledWith(null);
});

test("arrow keys reach each cell of a heat map", async () => {
  const onhover = vi.fn();
  render(TargetHeat, { x: X, y: Y, target: TARGET.column, grid: targetGrid(X, Y, TARGET.column, ROWS, 2), label: "Heat", onhover });
  sized("target-heat");
  (page.getByTestId("target-heat").element() as HTMLElement).focus();
  const found: unknown[] = [];
  for (const key of ["Home", "ArrowRight", "ArrowDown", "ArrowLeft"]) {
    await userEvent.keyboard(`{${key}}`);
    found.push((onhover.mock.lastCall?.[0] as { cell: number }).cell);
  }
  expect(found).toEqual([2, 3, 1, 0]);
});
