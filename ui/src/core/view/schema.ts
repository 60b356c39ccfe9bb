// SPDX-License-Identifier: Apache-2.0
/**
 * What pages look like, as tables of parameters. A field of a view is one line of such a table, from which its type, its
 * default and both directions of its address derive.
 */
import type { ColumnSort } from "../tables/columnSort";
import type { Filter } from "../text/textFilter";

/** One field of a view in an address. Reading never fails: what a link says wrongly is as if it said nothing. */
export interface Param<T> {
  readonly defaultValue: T;
  read(query: URLSearchParams): T;
  /** Appends nothing for the default. It may read what the fields before it have appended. */
  write(value: T, query: URLSearchParams): void;
}

/** The values that a parameter, or a table of them, has. */
export type ValueOf<P> = P extends Param<infer T> ? T : never;

/** A value as a text; null for a text that is none. */
export interface Codec<T> {
  read(text: string): T | null;
  write(value: T): string;
}

type Table = Readonly<Record<string, Param<unknown>>>;
type Values<T extends Table> = { [K in keyof T]: ValueOf<T[K]> };

/** A view of these fields, which an address says in their order. */
export function fields<T extends Table>(table: T): Param<Values<T>> {
  const entries = Object.entries(table);
  const values = (valueOf: (field: Param<unknown>) => unknown): Values<T> =>
    Object.fromEntries(entries.map(([name, field]) => [name, valueOf(field)])) as Values<T>;
  return {
    defaultValue: values((field) => field.defaultValue),
    read: (query) => values((field) => field.read(query)),
    write: (value, query) => entries.forEach(([name, field]) => field.write(value[name], query)),
  };
}

export function param<T>(name: string, codec: Codec<T>, defaultValue: T): Param<T> {
  const usual = codec.write(defaultValue);
  return {
    defaultValue,
    read: (query) => optional(name, codec).read(query) ?? defaultValue,
    write: (value, query) => {
      const text = codec.write(value);
      if (text !== usual) query.append(name, text);
    },
  };
}

/** Null where an address says nothing. */
export function optional<T>(name: string, codec: Codec<T>): Param<T | null> {
  return {
    defaultValue: null,
    read: (query) => {
      const text = query.get(name);
      return text === null ? null : codec.read(text);
    },
    write: (value, query) => {
      if (value !== null) query.append(name, codec.write(value));
    },
  };
}

/** A switch that a word turns from its default. */
export function flag(name: string, word: string, defaultValue = false): Param<boolean> {
  return {
    defaultValue,
    read: (query) => (query.get(name) === word) !== defaultValue,
    write: (value, query) => {
      if (value !== defaultValue) query.append(name, word);
    },
  };
}

/** One parameter for each item; equal ones count once. */
export function list<T>(name: string, codec: Codec<T>): Param<readonly T[]> {
  return {
    defaultValue: [],
    read: (query) =>
      unique(query.getAll(name)).flatMap((text) => {
        const item = codec.read(text);
        return item === null ? [] : [item];
      }),
    write: (items, query) => items.forEach((item) => query.append(name, codec.write(item))),
  };
}

/** As a list, but null where an address says nothing; an empty text says that the list is empty. */
export function optionalList<T>(name: string, codec: Codec<T>): Param<readonly T[] | null> {
  const items = list<T>(name, { ...codec, read: (text) => (text === "" ? null : codec.read(text)) });
  return {
    defaultValue: null,
    read: (query) => (query.has(name) ? items.read(query) : null),
    write: (value, query) => {
      items.write(value ?? [], query);
      if (value?.length === 0) query.append(name, "");
    },
  };
}

/** Pairs of one parameter each; of equal names the last counts. */
export function dictionary<T>(name: string, codec: Codec<readonly [string, T]>): Param<Readonly<Record<string, T>>> {
  const pairs = list(name, codec);
  return {
    defaultValue: {},
    read: (query) => Object.fromEntries(pairs.read(query)),
    write: (value, query) => pairs.write(Object.entries(value), query),
  };
}

/** A text to search for, under another name where it is a regular expression. */
export function filter(name: string, regexName: string): Param<Filter> {
  return {
    defaultValue: { text: "", isRegex: false },
    read: (query) => {
      const regex = query.get(regexName);
      return { text: regex ?? query.get(name) ?? "", isRegex: regex !== null && regex !== "" };
    },
    write: ({ text, isRegex }, query) => {
      if (text !== "") query.append(isRegex ? regexName : name, text);
    },
  };
}

export const text: Codec<string> = { read: (text) => text, write: (value) => value };
export const filled: Codec<string> = { read: (text) => text || null, write: (value) => value };
export const integer: Codec<number> = { read: wholeNumber, write: String };
/** From 0. A number between is written as the nearest one. */
export const natural: Codec<number> = {
  read: (text) => {
    const number = wholeNumber(text);
    return number !== null && number >= 0 ? number : null;
  },
  write: (value) => String(Math.round(value)),
};

export function oneOf<const T extends string>(options: readonly T[]): Codec<T> {
  return { read: (text) => options.find((option) => option === text) ?? null, write: (value) => value };
}

/** A number that a link may exceed. */
export function within(low: number, high: number): Codec<number> {
  return {
    read: (text) => (text.trim() === "" || !Number.isFinite(Number(text)) ? null : Math.min(high, Math.max(low, Number(text) + 0))),
    write: String,
  };
}

/** Two whole numbers, of which the first is less, or at most as large. */
export function range(isEqualAllowed = false): Codec<readonly [number, number]> {
  return {
    read: (text) => {
      const [begin, end] = text.split("~").map(wholeNumber);
      return begin != null && end != null && (begin < end || (isEqualAllowed && begin === end)) ? [begin, end] : null;
    },
    write: (value) => value.map(Math.round).join("~"),
  };
}

/** An object of two texts as a JSON list. */
export function pairOf<A extends string, B extends string>(first: A, second: B): Codec<Record<A | B, string>> {
  return {
    read: (text) => {
      try {
        const [one, other] = JSON.parse(text) as unknown[];
        if (typeof one !== "string" || typeof other !== "string") return null;
        return { [first]: one, [second]: other } as Record<A | B, string>;
      } catch {
        return null;
      }
    },
    write: (value) => JSON.stringify([value[first], value[second]]),
  };
}

export const columnSort: Codec<ColumnSort> = {
  read: (text) => {
    const sort = /^(?<sign>-?)(?<column>[a-z_]+)$/.exec(text)?.groups;
    return sort ? { column: sort.column!, isDescending: sort.sign === "-" } : null;
  },
  write: ({ column, isDescending }) => `${isDescending ? "-" : ""}${column}`,
};

/** What a text of an address says as a whole number; null for anything else. */
export function wholeNumber(text: string): number | null {
  return /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) + 0 : null;
}

/** Texts of an address once each, in their order. */
export function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
