// SPDX-License-Identifier: Apache-2.0
import { page } from "@vitest/browser/context";
import { createRawSnippet, type Component, type ComponentProps } from "svelte";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import { arrangedColumns, defaultLayout, withPinned, type ColumnLayout } from "../../core/tables/columnLayout";
import type { ColumnSort } from "../../core/tables/columnSort";
import type { TableColumn } from "../../core/tables/tableColumn";
import DataTable from "./DataTable.svelte";

type Given = ComponentProps<typeof DataTable<number, TableColumn>>;
/** A type that has an index signature, as `render` wants. */
type Props = { [Name in keyof Given]: Given[Name] };

const OWN = ["rank", "lr", "depth", "loss"];
const BANDS: Record<string, string> = { lr: "parameter", depth: "parameter", loss: "metric" };
const head = (name: string) => page.getByRole("columnheader", { name, exact: true });

function column(id: string): TableColumn {
  const band = BANDS[id];
  return {
    id,
    title: id,
    band: band === undefined ? null : { key: band, title: band, mark: band },
    isNumber: true,
    differs: true,
    descendsFirst: id === "loss",
  };
}

function show(rows: readonly number[], layout: ColumnLayout = defaultLayout()) {
  const columnsOf = (next: ColumnLayout): TableColumn[] => arrangedColumns(OWN, next).map(column);
  const text = (row: number, { id }: TableColumn): string => `${id} ${row}`;
  const props: Props = render<Props>(DataTable as Component<Props>, {
    rows,
    key: String,
    columns: columnsOf(layout),
    own: OWN,
    layout,
    onlayout: (next: ColumnLayout) => Object.assign(props, { layout: next, columns: columnsOf(next) }),
    sort: [] as readonly ColumnSort[],
    onsort: (sort: ColumnSort[]) => (props.sort = sort),
    nameColumn: { id: "run", title: "Run" },
    text,
    measured: rows,
    name: createRawSnippet((row: () => number) => ({ render: () => `<button>run ${row()}</button>` })),
    cell: createRawSnippet((row: () => number, one: () => TableColumn) => ({ render: () => `<span>${text(row(), one())}</span>` })),
    label: "Runs",
    testid: "table",
  });
  const scroller = page.getByTestId("table").element() as HTMLElement;
  scroller.style.height = "400px";
  return props;
}

async function choose(name: string, action: string): Promise<void> {
  await head(name).hover();
  await head(name).getByTestId("column-menu").click();
  await page.getByTestId(`column-menu-${action}`).click();
}

function order(): string[] {
  return [...document.querySelectorAll<HTMLElement>("[role=columnheader]")]
    .sort((one, other) => Number(one.ariaColIndex) - Number(other.ariaColIndex))
    .map((one) => one.dataset["column"]!);
}

test("of ten thousand rows only those in sight are elements", async () => {
  show(Array.from({ length: 10_000 }, (_, row) => row));
  await expect.element(page.getByText("lr 0", { exact: true })).toBeVisible();
  expect(document.querySelectorAll("[role=row]").length).toBeLessThan(60);
  page.getByTestId("table").element().scrollTop = 28 * 9_990;
  await expect.element(page.getByText("lr 9999", { exact: true })).toBeVisible();
});

test("the last of three million rows is reached", async () => {
  show(Array.from({ length: 3_000_000 }, (_, row) => row));
  await expect.element(page.getByText("lr 0", { exact: true })).toBeVisible();
  const scroller = page.getByTestId("table").element();
  scroller.scrollTop = scroller.scrollHeight;
  const lastTop = (): number => document.querySelector("[data-key='2999999']")?.getBoundingClientRect().top ?? Infinity;
  await expect.poll(lastTop).toBeLessThan(450);
  scroller.dispatchEvent(new WheelEvent("wheel", { deltaY: -5 * 28, cancelable: true }));
  await expect.poll(lastTop).toBeGreaterThan(450);
  expect(document.querySelectorAll("[role=row]").length).toBeLessThan(60);
});

test("columns are hidden, moved and pinned by their menus", async () => {
  show([1, 2]);
  await expect.poll(order).toEqual(["run", ...OWN]);
  await choose("lr", "hide");
  await expect.element(head("lr")).not.toBeInTheDocument();
  await choose("loss", "left");
  await expect.poll(order).toEqual(["run", "rank", "loss", "depth"]);
  await choose("depth", "pin");
  await expect.poll(order).toEqual(["run", "depth", "rank", "loss"]);
  expect(getComputedStyle(head("depth").element()).position).toBe("sticky");
});

test("presses sort, with Shift by several columns", async () => {
  const props = show([1, 2]);
  await head("loss").getByRole("button").first().click();
  expect(props.sort).toEqual([{ column: "loss", isDescending: true }]);
  await head("lr")
    .getByRole("button")
    .first()
    .click({ modifiers: ["Shift"] });
  await expect.element(head("lr")).toHaveAttribute("aria-sort", "ascending");
  await expect.element(head("loss")).toHaveAttribute("aria-sort", "descending");
});

test("a band names its neighbors once, and one band alone is not drawn", async () => {
  const props = show([1]);
  const bands = (): (string | undefined)[] => [...document.querySelectorAll<HTMLElement>("[data-band]")].map((one) => one.dataset["band"]);
  await expect.poll(bands).toEqual(["parameter", "metric"]);
  props.columns = ["lr", "depth"].map(column);
  await expect.poll(bands).toEqual([]);
});

test("rows stay where they are when columns of other bands come, if there is room for bands", async () => {
  const props = show([1]);
  const top = (): number => page.getByText("lr 1", { exact: true }).element().getBoundingClientRect().top;
  await expect.element(page.getByText("lr 1", { exact: true })).toBeVisible();
  const banded = top();
  props.columns = ["lr", "depth"].map(column);
  await expect.poll(top).toBeLessThan(banded);
  props.keepsBandRoom = true;
  await expect.poll(top).toBe(banded);
  props.columns = OWN.map(column);
  await expect.element(head("loss")).toBeVisible();
  expect(top()).toBe(banded);
});

test("a column is as wide as it was made, until it is fitted again", async () => {
  const props = show([1], { ...withPinned(defaultLayout(), "lr", true), widths: { lr: 200 } });
  const width = (): number => head("lr").element().getBoundingClientRect().width;
  expect(width()).toBe(200);
  const grip = page.getByRole("separator", { name: "Width of lr" });
  grip.element().dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
  await expect.poll(width).toBe(184);
  grip.element().dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  await expect.poll(() => props.layout!.widths).toEqual({});
  expect(width()).toBeLessThan(150);
});

test("up and down go to the same place of the next row", async () => {
  show([1, 2, 3]);
  const name = (row: number) => page.getByRole("button", { name: `run ${row}`, exact: true });
  (name(1).element() as HTMLElement).focus();
  name(1)
    .element()
    .dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
  await expect.element(name(2)).toHaveFocus();
});

test("rows that come take the elements of rows that went, but of none in use", async () => {
  const props = show([1, 2, 3]);
  props.recycles = true;
  const row = (key: number): Element | null => document.querySelector(`[data-key="${key}"]`);
  const cells = (key: number): string | undefined =>
    row(key)
      ?.textContent?.replace(/run \d/, "")
      .trim();
  await expect.poll(() => row(3)).not.toBeNull();
  await expect.poll(() => cells(1)).toBe("rank 1lr 1depth 1loss 1");
  const [first, second, third] = [row(1), row(2), row(3)];
  props.rows = [2, 7, 8];
  await expect.poll(() => cells(7)).toBe("rank 7lr 7depth 7loss 7");
  expect([row(2), row(7), row(8)]).toEqual([second, first, third]);
  row(7)!.querySelector("button")!.focus();
  props.rows = [4, 5];
  await expect.poll(() => cells(4)).toBe("rank 4lr 4depth 4loss 4");
  expect(new Set([row(4), row(5)])).toEqual(new Set([second, third]));
  expect(first!.isConnected).toBe(false);
});
