// SPDX-License-Identifier: Apache-2.0
import catalog from "../../../../src/mindscope/texts/en/advice.json";
import { adviceTexts } from "../adviceTexts";

/** Advice, and why a part of a profile is missing, by the codes of the server. */
export const advice = adviceTexts(catalog);
