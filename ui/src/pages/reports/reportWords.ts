// SPDX-License-Identifier: Apache-2.0
import { reportTexts } from "../../i18n/en/reportTexts";
import { addEnglish } from "../../i18n/i18n.svelte";

addEnglish(reportTexts);
