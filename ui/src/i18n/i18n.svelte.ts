// SPDX-License-Identifier: Apache-2.0
import { en, type MessageKey } from "./en";
import { fill, type Values } from "./fill";
import { zh } from "./zh";

export type { MessageKey };
export type Language = "en" | "zh";

export const LANGUAGES: readonly { id: Language; name: string }[] = [
  { id: "en", name: "English" },
  { id: "zh", name: "中文" },
];

const CATALOGS: Record<Language, Record<MessageKey, string>> = { en, zh };

let language = $state<Language>("en");

export function currentLanguage(): Language {
  return language;
}

export function setLanguage(next: Language): void {
  language = next;
  document.documentElement.lang = next === "zh" ? "zh-CN" : "en";
}

export function hasWords(key: string): key is MessageKey {
  return Object.hasOwn(en, key);
}

/** The message in the current language; read in a template, it changes with the language. */
export function t(key: MessageKey, values: Values = {}): string {
  return fill(CATALOGS[language][key], values);
}
