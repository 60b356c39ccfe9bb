// SPDX-License-Identifier: Apache-2.0
import { pairTexts } from "../../i18n/en/pair";
import { addEnglish } from "../../i18n/i18n.svelte";

addEnglish(pairTexts);
