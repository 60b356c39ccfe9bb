// SPDX-License-Identifier: Apache-2.0
import type { Plugin } from "vite";

export const LICENSES: string;
export const workerCode: Plugin;
export const workerLicenses: Plugin;
