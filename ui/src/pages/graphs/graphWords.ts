// SPDX-License-Identifier: Apache-2.0
import { graphs } from "../../i18n/en/graphs";
import { addEnglish, t } from "../../i18n/i18n.svelte";

addEnglish(graphs);

/** A shape as the server writes it, with the word for no dimensions in the language of the page. */
export const shapeWords = (shape: string): string => (shape === "scalar" ? t("graph.scalar") : shape);
