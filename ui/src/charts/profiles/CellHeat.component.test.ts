// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import type { ComponentProps } from "svelte";
import { expect, test, vi } from "vitest";

import { render } from "../../../tests/render.svelte";
import CellHeat from "./CellHeat.svelte";

type Props = ComponentProps<typeof CellHeat> & Record<string, unknown>;

const heat = () => page.getByTestId("heat");

function open(rows: number, columns: number, values: Float64Array): Props {
  const props: Props = render<Props>(CellHeat, {
    label: "Times",
    rows: Array.from({ length: rows }, (_, row) => String(row)),
    columns: Array.from({ length: columns }, (_, column) => String(column)),
    rowTitle: "Rank",
    columnTitle: "Step",
    values,
    text: (value: number) => `${value} ms`,
    onhover: vi.fn(),
    onchoose: vi.fn(),
    testid: "heat",
  });
  heat().element().closest<HTMLElement>(".heat")!.style.width = "400px";
  return props;
}

function pixel(x: number, y: number): readonly number[] {
  const canvas = heat().element() as HTMLCanvasElement;
  const scale = canvas.width / canvas.clientWidth;
  return [...canvas.getContext("2d")!.getImageData(Math.round(x * scale), Math.round(y * scale), 1, 1).data];
}

test("cells have the colors of their values, and are chosen by a click", async () => {
  const props = open(2, 3, Float64Array.of(1, 2, 3, Number.NaN, 1, 3));
  await expect.poll(() => pixel(70, 30)[3]).toBe(255);
  expect(pixel(70, 30)).toEqual(pixel(64 + 64 + 10, 20 + 22 + 10));
  expect(pixel(70, 30)).not.toEqual(pixel(64 + 2 * 64 + 10, 30));
  await expect.element(page.getByText("1 ms")).toBeVisible();
  await expect.element(page.getByText("3 ms")).toBeVisible();
  await heat().click({ position: { x: 64 + 2 * 64 + 10, y: 20 + 22 + 10 } });
  expect(props.onchoose).toHaveBeenCalledExactlyOnceWith(5);
  expect(vi.mocked(props.onhover).mock.lastCall![0]).toMatchObject({ mark: 5 });
  await heat().click({ position: { x: 70, y: 20 + 22 + 10 } });
  expect(props.onchoose).toHaveBeenCalledOnce();
  expect(props.onhover).toHaveBeenLastCalledWith(null);
});

test("arrow keys go from cell to cell, and Enter chooses", async () => {
  const props = open(2, 3, Float64Array.of(1, 2, 3, Number.NaN, 1, 3));
  await expect.poll(() => pixel(70, 30)[3]).toBe(255);
  (heat().element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowRight}{ArrowRight}{ArrowDown}");
  const box = heat().element().getBoundingClientRect();
  expect(vi.mocked(props.onhover).mock.lastCall![0]).toEqual({
    ...{ mark: 4, isByKey: true },
    ...{ clientX: box.left + 64 + 1.5 * 64, clientY: box.top + 20 + 22 + 11 },
  });
  await userEvent.keyboard("{Enter}");
  expect(props.onchoose).toHaveBeenCalledExactlyOnceWith(4);
  await userEvent.keyboard("{Escape}");
  expect(props.onhover).toHaveBeenLastCalledWith(null);
});

test("the greatest of steps that share a pixel is seen", async () => {
  const columns = 4000;
  const wide = new Float64Array(2 * columns);
  wide[columns + 2017] = 9;
  open(2, columns, wide);
  await expect.poll(() => pixel(70, 30)[3]).toBe(255);
  const middle = 64 + ((400 - 64) * 2017) / columns;
  expect(pixel(middle, 20 + 22 + 10)).not.toEqual(pixel(middle, 30));
});
