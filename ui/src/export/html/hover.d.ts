// SPDX-License-Identifier: Apache-2.0
import type { CardValues } from "./partValues";

export function pointAtCurves(root: Document | ShadowRoot, read: () => CardValues): void;
