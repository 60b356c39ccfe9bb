// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { CardContent, Part, PlannedCard, ViewPlan } from "./model";
import { CardFailure, writeView, type Progress, type Issue } from "./write";

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror="alert(2)">'"&`;
const FACTS = { address: 'http://localhost/scalars?tag=<b>&run="a"', made: "2026-11-21 12:00:00", language: "en", nonce: "0a1b", font: "" };
const DRAWING = {
  width: 10,
  height: 10,
  body: '<path d="M0 0"/>',
  plot: { left: 0, top: 0, right: 10, bottom: 10, by: "x" as const, x: { name: HOSTILE, range: [0, 1] as const, isLog: false }, ys: [] },
};

const PARTS: Part[] = [
  {
    kind: "curves",
    label: HOSTILE,
    drawing: DRAWING,
    lines: [{ name: HOSTILE, part: HOSTILE, color: "var(--series-0)", scale: 0, x: [0, 1], value: Float32Array.of(0.1, NaN) }],
  },
  {
    kind: "table",
    label: HOSTILE,
    columns: [
      { title: HOSTILE, isNumber: false },
      { title: "n", group: HOSTILE, isNumber: true },
    ],
    rows: [
      {
        color: "#aabbcc",
        cells: [
          { text: HOSTILE, value: HOSTILE },
          { text: "∞", value: Infinity },
        ],
      },
    ],
  },
  { kind: "text", text: `${HOSTILE}\nsecond line`, markup: null },
  {
    kind: "pictures",
    arrangement: "swipe",
    pictures: [
      { source: "data:image/png;base64,AA==", label: HOSTILE },
      { source: "data:image/png;base64,AA==", label: "b" },
    ],
  },
  {
    kind: "cells",
    label: HOSTILE,
    light: "data:,",
    dark: "data:,",
    cells: [2, 2],
    over: "",
    legend: { low: HOSTILE, high: "1", marks: [{ color: "var(--ink)", name: HOSTILE }] },
    values: HOSTILE,
  },
  { kind: "sound", label: HOSTILE, drawing: null, source: "data:audio/wav;base64,AA==" },
  { kind: "notice", tone: "bad", text: HOSTILE },
];

function card(title: string, make: PlannedCard["make"]): PlannedCard {
  return { title, run: { name: HOSTILE, color: "var(--series-1)" }, make };
}

function planOf(...cards: PlannedCard[]): ViewPlan {
  return {
    page: "test",
    title: HOSTILE,
    runs: [{ name: HOSTILE, color: "#123456", state: HOSTILE }],
    settings: [{ name: HOSTILE, value: HOSTILE }],
    sections: [{ title: HOSTILE, cards }],
  };
}

function unexplained(error: unknown): Issue {
  return { what: String(error), remedy: "", isFinal: true };
}

async function written(
  plan: ViewPlan,
  explain: (error: unknown) => Issue = unexplained,
  signal = new AbortController().signal,
  onprogress: (progress: Progress) => void = () => {},
) {
  const result = await writeView(plan, { facts: FACTS, signal, onprogress, explain });
  return { ...result, text: await result.file.text() };
}

const whole =
  (content: Partial<CardContent> = {}): PlannedCard["make"] =>
  () =>
    Promise.resolve({ facts: [HOSTILE], parts: PARTS, ...content });

describe("a saved view", () => {
  it("holds texts of logs as texts, wherever they are", async () => {
    const { text } = await written(planOf(card(HOSTILE, whole())));
    expect(text).not.toContain("<script>alert");
    expect(text).not.toMatch(/<img src=x/);
    expect(text).not.toMatch(/onerror="/);
    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text.match(/<\/script>/g)).toHaveLength(2);
    expect(text).toContain("&lt;/script&gt;");
    expect(text).toContain("second line</pre>");
  });

  it("holds the cards inside of their section, and no space in its labels", async () => {
    const { text } = await written(planOf(card("a", whole())));
    expect(text).toMatch(/<main class="single">\n<section [^>]*><h2[^>]*>[^<]*<\/h2>\n<div class="cards">\n<figure/);
    expect(text.match(/<main/g)).toHaveLength(1);
    expect(text).toContain("</dt><dd>");
  });

  it("gives its values to programs, odd numbers as texts and single precision without digits of its own", async () => {
    const { text } = await written(planOf(card("a", whole()), card("b", whole())));
    const values = JSON.parse(/<script type="application\/json" id="values">([\s\S]*?)<\/script>/.exec(text)![1]!);
    expect(values.title).toBe(HOSTILE);
    expect(values.cards.map((one: { title: string }) => one.title)).toEqual(["a", "b"]);
    const [curves, table, words] = values.cards[0].parts;
    expect(curves.lines[0]).toMatchObject({ name: HOSTILE, x: [0, 1], value: [0.1, "NaN"] });
    expect(table.rows).toEqual([[HOSTILE, "Infinity"]]);
    expect(words.text).toBe(`${HOSTILE}\nsecond line`);
  });

  it("forbids everything that it does not bring itself", async () => {
    const { text } = await written(planOf(card("a", whole())));
    expect(text).toContain(
      "default-src 'none'; img-src data:; media-src data:; font-src data:; style-src 'nonce-0a1b'; script-src 'nonce-0a1b'",
    );
    expect(text).not.toMatch(/(src|srcset)="(?!data:)/);
    expect(text).not.toMatch(/ style="/);
    expect(text).not.toMatch(/url\(/);
  });

  it("says in the place of a card why it could not be read", async () => {
    const fails = card("gone", () => Promise.reject(new Error("x")));
    const { text, unread, cards } = await written(planOf(card("a", whole()), fails), () => ({
      what: "damaged at byte 7",
      remedy: "Look.",
      isFinal: false,
    }));
    expect(text).toContain("damaged at byte 7 Look.");
    expect(unread).toEqual([`gone · ${HOSTILE}`]);
    expect(cards).toBe(2);
  });

  it("is not made when nothing can be read, and names the card", async () => {
    const fails = card("gone", () => Promise.reject(new Error("x")));
    const made = written(planOf(fails), () => ({ what: "no server", remedy: "Start it.", isFinal: true }));
    await expect(made).rejects.toBeInstanceOf(CardFailure);
    await expect(made).rejects.toMatchObject({ card: `gone · ${HOSTILE}`, issues: { what: "no server" } });
  });

  it("reports its progress, and stops on request", async () => {
    const told: Progress[] = [];
    const stop = new AbortController();
    const read: string[] = [];
    const cards = ["a", "b", "c", "d", "e", "f"].map((title) => card(title, () => (read.push(title), whole()(stop.signal))));
    const made = written(planOf(...cards), undefined, stop.signal, (progress) => {
      told.push(progress);
      if (progress.done === 1) stop.abort();
    });
    await expect(made).rejects.toMatchObject({ name: "AbortError" });
    expect(told.map(({ done, total, title }) => [done, total, title])).toEqual([
      [0, 6, "a"],
      [1, 6, "b"],
    ]);
    expect(read).toEqual(["a", "b", "c"]);
  });
});
