// SPDX-License-Identifier: Apache-2.0
import { en, type MessageKey } from "./en";
import { fill, type Units, type Values } from "./fill";

export type { MessageKey };
export type Language = "en" | "zh";

export const LANGUAGES: readonly { id: Language; name: string }[] = [
  { id: "en", name: "English" },
  { id: "zh", name: "中文" },
];

type Catalog = Readonly<Record<MessageKey, string>>;

/** English is part of the bundle except texts that pages add; another catalog is fetched when it is first chosen. */
const english: Partial<Record<MessageKey, string>> = { ...en };
let texts = $state.raw(english as Catalog);
let language = $state<Language>("en");
let chosen: Language = "en";

export function currentLanguage(): Language {
  return language;
}

/** The last language stays until the texts of the next one are here. Rejects if they can't be fetched. */
export async function setLanguage(next: Language): Promise<void> {
  chosen = next;
  const catalog = next === "zh" ? (await import("./zh")).zh : (english as Catalog);
  if (chosen !== next) return;
  language = next;
  texts = catalog;
  document.documentElement.lang = next === "zh" ? "zh-CN" : "en";
}

/** For code that is loaded with a page, before it shows any of these texts. */
export function addEnglish(more: Partial<Record<MessageKey, string>>): void {
  Object.assign(english, more);
}

export function hasWords(key: string): key is MessageKey {
  return Object.hasOwn(english, key);
}

/** The message in the current language; read in a template, it changes with the language. */
export function t(key: MessageKey, values: Values = {}, units: Units = {}): string {
  return fill(texts[key], values, units);
}

/** The message of a key that is made from a name of the server, or another text where the page knows no such name. */
export function textOr(key: string, otherwise: string, values: Values = {}): string {
  return hasWords(key) ? t(key, values) : otherwise;
}
