// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import {
  columnSort,
  dictionary,
  fields,
  filled,
  filter,
  flag,
  integer,
  list,
  natural,
  oneOf,
  optional,
  optionalList,
  pairOf,
  param,
  range,
  text,
  within,
  type Codec,
  type Param,
} from "./schema";

const WEIGHT: Codec<readonly [string, number]> = {
  read: (pair) => (pair.includes(":") ? [pair.split(":")[0]!, Number(pair.split(":")[1])] : null),
  write: (pair) => pair.join(":"),
};

const VIEW = fields({
  name: param("name", text, ""),
  shape: param("shape", oneOf(["round", "square"]), "round"),
  isOpen: flag("open", "no", true),
  step: optional("step", integer),
  tags: list("tag", filled),
  axes: optionalList("axis", text),
  weights: dictionary("weight", WEIGHT),
  find: filter("find", "find_regex"),
  inner: fields({ sort: optional("sort", columnSort), share: param("share", within(0, 1), 0.5) }),
});

function written<T>(of: Param<T>, value: T): string {
  const query = new URLSearchParams();
  of.write(value, query);
  return query.toString();
}

test("a table of parameters says its defaults with nothing, and all else in its order", () => {
  expect(written(VIEW, VIEW.defaultValue)).toBe("");
  expect(VIEW.read(new URLSearchParams())).toEqual(VIEW.defaultValue);
  const view = {
    name: "a b",
    shape: "square" as const,
    isOpen: false,
    step: -3,
    tags: ["x", "y"],
    axes: [],
    weights: { a: 2 },
    find: { text: "l.*", isRegex: true },
    inner: { sort: { column: "share", isDescending: true }, share: 0 },
  };
  const query = "name=a+b&shape=square&open=no&step=-3&tag=x&tag=y&axis=&weight=a%3A2&find_regex=l.*&sort=-share&share=0";
  expect(written(VIEW, view)).toBe(query);
  expect(VIEW.read(new URLSearchParams(query))).toEqual(view);
  expect(VIEW.read(new URLSearchParams("axis=a&axis="))).toEqual({ ...VIEW.defaultValue, axes: ["a"] });
});

test("what a link says wrongly is as if it said nothing", () => {
  const query = "shape=oval&open=perhaps&step=1e3&tag=&tag=a&tag=a&weight=a&sort=A&share=much&find_regex=";
  expect(VIEW.read(new URLSearchParams(query))).toEqual({ ...VIEW.defaultValue, tags: ["a"] });
  expect(VIEW.read(new URLSearchParams("share=7")).inner.share).toBe(1);
});

test("codecs take what they wrote and nothing else", () => {
  expect([natural.read("7"), natural.read("-7"), natural.write(6.6)]).toEqual([7, null, "7"]);
  expect([integer.read("9007199254740991"), integer.read("9007199254740993"), integer.read("")]).toEqual([2 ** 53 - 1, null, null]);
  expect([range().read("3~9"), range().read("3~3"), range(true).read("3~3"), range().read("3")]).toEqual([[3, 9], null, [3, 3], null]);
  const pair = pairOf("run", "tag");
  const value = { run: 'a"', tag: "b,c" };
  expect([pair.read(pair.write(value)), pair.read("[1,2]"), pair.read("{")]).toEqual([value, null, null]);
});
