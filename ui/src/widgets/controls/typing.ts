// SPDX-License-Identifier: Apache-2.0
const FIELDS = 'textarea, select, input:not([type="checkbox"], [type="radio"], [type="range"], [type="color"])';

/** Whether letters pressed here are meant for the field that has them: then they are no shortcuts. */
export function isTyping({ target }: Event): boolean {
  return target instanceof Element && target.closest(FIELDS) !== null;
}
