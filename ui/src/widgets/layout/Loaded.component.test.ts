// SPDX-License-Identifier: Apache-2.0
import { page } from "@vitest/browser/context";
import { createRawSnippet, type Component, type ComponentProps } from "svelte";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import type { ProblemSource } from "../feedback/problemSource";
import Loaded from "./Loaded.svelte";

type Given = ComponentProps<typeof Loaded<string>>;
/** A type that has an index signature, as `render` wants. */
type Props = { [Name in keyof Given]: Given[Name] };

const NONE: ProblemSource = { problem: null, retry: () => undefined };
const waiting = page.getByTestId("waiting");
const shown = page.getByText("value a");

function show(given: Partial<Props>): Props {
  return render<Props>(Loaded as Component<Props>, {
    source: NONE,
    value: null,
    children: createRawSnippet((value: () => string) => ({ render: () => `<b>value ${value()}</b>` })),
    ...given,
  });
}

function failed(isUnreachable = false): ProblemSource & { retries: number } {
  const source = {
    problem: { what: "The file is damaged.", remedy: "Write it again.", isUnreachable },
    retries: 0,
    retry: () => void source.retries++,
  };
  return source;
}

test("it waits for the value and then shows it", async () => {
  const props = show({});
  await expect.element(waiting).toBeInTheDocument();
  props.value = "a";
  await expect.element(shown).toBeVisible();
  await expect.element(waiting).not.toBeInTheDocument();
});

test("a problem is above the last value, with a button that reads again", async () => {
  const source = failed();
  show({ source, value: "a" });
  await expect.element(page.getByRole("alert")).toHaveTextContent("The file is damaged. Write it again.");
  await expect.element(shown).toBeVisible();
  await page.getByRole("button").click();
  expect(source.retries).toBe(1);
});

test("a problem replaces the value, or the placeholder", async () => {
  const props = show({ source: failed(), value: "a", isReplaced: true });
  await expect.element(page.getByRole("alert")).toBeVisible();
  await expect.element(shown).not.toBeInTheDocument();
  props.isReplaced = false;
  props.value = null;
  await expect.element(page.getByRole("alert")).toBeVisible();
  await expect.element(waiting).not.toBeInTheDocument();
});

test("while no server answers, the frame says so", async () => {
  show({ source: failed(true), value: "a" });
  await expect.element(shown).toBeVisible();
  await expect.element(page.getByRole("alert")).not.toBeInTheDocument();
});

test("a value without content is a text, or says how to record it", async () => {
  const props = show({ value: "a", empty: "Nothing is here." });
  await expect.element(page.getByText("Nothing is here.")).toBeVisible();
  await expect.element(shown).not.toBeInTheDocument();
  props.empty = { title: "No profile", how: "Record one." };
  await expect.element(page.getByRole("heading", { name: "No profile" })).toBeVisible();
});

test("a job shows its progress instead of the placeholder", async () => {
  show({ progress: createRawSnippet(() => ({ render: () => "<b>reading 3 of 7</b>" })) });
  await expect.element(page.getByText("reading 3 of 7")).toBeVisible();
  await expect.element(waiting).not.toBeInTheDocument();
});

test("several sources fail on their own; in a card, one button reads all of them again", async () => {
  const [one, other] = [failed(), failed()];
  const props = show({ source: [one, NONE, other], value: "a" });
  await expect.poll(() => page.getByRole("alert").elements().length).toBe(2);
  props.card = "lines";
  await expect.element(page.getByRole("alert")).not.toBeInTheDocument();
  props.value = null;
  await page.getByTestId("card-problem").getByRole("button").click();
  expect([one.retries, other.retries]).toEqual([1, 1]);
});
