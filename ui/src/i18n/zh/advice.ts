// SPDX-License-Identifier: Apache-2.0
import catalog from "../../../../src/mindscope/texts/zh/advice.json";
import { adviceTexts } from "../adviceTexts";

export const advice = adviceTexts(catalog);
