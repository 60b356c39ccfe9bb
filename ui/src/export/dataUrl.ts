// SPDX-License-Identifier: Apache-2.0
/** Bytes as an address that a file can hold. */
export function dataUrl(bytes: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("the bytes could not be read")));
    reader.readAsDataURL(bytes);
  });
}
