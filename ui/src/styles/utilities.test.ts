// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import utilities from "./utilities.css?raw";

/** A rule with more declarations must not be repeated. */
const MOST = 2;

const sources = import.meta.glob<string>("../**/*.svelte", { query: "?raw", import: "default", eager: true });
const components = Object.entries(sources).map(([name, source]) => {
  const [markup = "", style = ""] = source.split("<style>");
  return { name, markup, style: style.replaceAll(/\/\*[^]*?\*\//g, "") };
});

test("no long rule is in two components: the second one makes it a class of utilities.css", () => {
  const holders = new Map<string, Set<string>>();
  for (const { name, style } of components) {
    for (const [, block] of style.matchAll(/\{([^{}]*)\}/g)) {
      const rule = block!.replaceAll(/\s+/g, " ").trim();
      if (rule.split(";").length > MOST + 1) holders.set(rule, (holders.get(rule) ?? new Set()).add(name));
    }
  }
  expect([...holders].filter(([, names]) => names.size > 1).map(([rule, names]) => [rule, [...names]])).toEqual([]);
});

test("each utility class is used by two components or more", () => {
  const classes = new Set([...utilities.matchAll(/^\.([\w-]+)/gm)].map(([, name]) => name!));
  expect(classes.size).toBeGreaterThan(50);
  const users = (name: string): number => components.filter(({ markup }) => new RegExp(`[\\s"':]${name}[\\s"'}=]`).test(markup)).length;
  expect([...classes].filter((name) => users(name) < 2)).toEqual([]);
});
