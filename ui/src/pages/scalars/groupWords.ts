// SPDX-License-Identifier: Apache-2.0
import { compareTexts } from "../../i18n/en/compareTexts";
import { addEnglish } from "../../i18n/i18n.svelte";

addEnglish(compareTexts);
