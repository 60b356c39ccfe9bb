// SPDX-License-Identifier: Apache-2.0
import { en, type MessageKey } from "./en";
import { fill, type Values } from "./fill";

export type { MessageKey };
export type Language = "en" | "zh";

export const LANGUAGES: readonly { id: Language; name: string }[] = [
  { id: "en", name: "English" },
  { id: "zh", name: "中文" },
];

/** English is part of the bundle; another catalog is fetched when it is first chosen. */
let texts = $state.raw<Record<MessageKey, string>>(en);
let language = $state<Language>("en");
let chosen: Language = "en";

export function currentLanguage(): Language {
  return language;
}

/** The last language stays until the texts of the next one are here. Rejects if they can't be fetched. */
export async function setLanguage(next: Language): Promise<void> {
  chosen = next;
  const catalog = next === "zh" ? (await import("./zh")).zh : en;
  if (chosen !== next) return;
  language = next;
  texts = catalog;
  document.documentElement.lang = next === "zh" ? "zh-CN" : "en";
}

export function hasWords(key: string): key is MessageKey {
  return Object.hasOwn(en, key);
}

/** The message in the current language; read in a template, it changes with the language. */
export function t(key: MessageKey, values: Values = {}): string {
  return fill(texts[key], values);
}
