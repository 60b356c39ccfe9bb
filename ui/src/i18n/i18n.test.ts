// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { en } from "./en";
import { logTexts } from "./en/logs";
import { fill } from "./fill";
import { zh } from "./zh";

type Texts = Readonly<Record<string, string>>;

const files = {
  en: import.meta.glob<Record<string, Texts>>("./en/*.ts", { eager: true }),
  zh: import.meta.glob<Record<string, Texts>>("./zh/*.ts", { eager: true }),
};
const sources = import.meta.glob<string>(["../**/*.svelte", "../**/*.ts", "!../**/*.test.ts", "!./**"], {
  eager: true,
  query: "?raw",
  import: "default",
});

/** Keys of a file of texts; it exports nothing else. */
function keysOf(file: Record<string, Texts> | undefined): string[] {
  return Object.values(file ?? {}).flatMap((texts) => Object.keys(texts));
}

function names(message: string): string[] {
  return [...new Set([...message.matchAll(/\{(\w+)/g)].map((match) => match[1]!))].sort();
}

describe("catalogs", () => {
  it.each(Object.keys(files.en))("have the same keys in the same order in %s", (path) => {
    expect(keysOf(files.zh[path.replace("./en/", "./zh/")])).toEqual(keysOf(files.en[path]));
  });

  it("are whole", () => {
    expect(Object.keys(zh).sort()).toEqual(Object.values(files.en).flatMap(keysOf).sort());
  });

  it("fill the same names", () => {
    for (const [key, text] of Object.values(files.en).flatMap((file) => Object.values(file).flatMap(Object.entries<string>))) {
      const translated = (zh as Texts)[key]!;
      expect([key, ...names(translated)]).toEqual([key, ...names(text)]);
      expect(translated.trim(), key).not.toBe("");
    }
  });

  it("have the texts that a page adds only in code that comes with them", () => {
    const adding = Object.entries(sources).filter(([, code]) => /\baddEnglish\(/.test(code) && !code.includes("function addEnglish"));
    expect(adding.length).toBeGreaterThan(5);
    for (const [path, file] of Object.entries(files.en)) {
      const keys = keysOf(file).filter((key) => !(key in en));
      if (keys.length === 0) continue;
      const name = path.replace("./en/", "i18n/en/").replace(".ts", '"');
      const modules = adding.filter(([, code]) => code.includes(name)).map(([module]) => module);
      expect(modules, path).not.toEqual([]);
      const strangers = Object.entries(sources).filter(
        ([place, code]) => keys.some((key) => code.includes(`"${key}"`)) && !modules.some((module) => isWith(module, place, code)),
      );
      expect(
        strangers.map(([place]) => place),
        path,
      ).toEqual([]);
    }
  });
});

/** Whether code lies in the folder of a module or below, or imports it. */
function isWith(module: string, place: string, code: string): boolean {
  const cut = module.lastIndexOf("/");
  return place.startsWith(module.slice(0, cut + 1)) || code.includes(`${module.slice(cut).replace(".ts", "")}"`);
}

describe("fill", () => {
  it("fills names and chooses the plural", () => {
    expect(fill("{n} {n|run|runs}", { n: 1 })).toBe("1 run");
    expect(fill("{n} {n|run|runs}", { n: 0 })).toBe("0 runs");
    expect(fill(logTexts["logs.total"], { total: "1" })).toBe("1 message");
    expect(fill(logTexts["logs.count"], { matching: "1", total: "1 000" })).toBe("1 of 1 000 messages");
    expect(fill("{a} and {b}", { a: "x" })).toBe("x and {b}");
  });

  it("says one thing in the singular", () => {
    const plural = /\{n\} (?:more |smaller )?(?:rows|operations|slices|calls|blocks|samples|groups|images|values)\b/;
    expect(Object.entries(en).filter(([, text]) => plural.test(text))).toEqual([]);
  });

  it("does not fill what was filled in", () => {
    expect(fill("{run}", { run: "{n}", n: 3 })).toBe("{n}");
  });
});
