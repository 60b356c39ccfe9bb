// SPDX-License-Identifier: Apache-2.0
// Runs before the first paint: a chosen theme and language must not flash. Without a choice the system decides.
(function () {
  try {
    var settings = JSON.parse(localStorage.getItem("mindscope.settings") || "{}");
    if (settings.theme === "light" || settings.theme === "dark") document.documentElement.dataset.theme = settings.theme;
    if (settings.language === "zh") document.documentElement.lang = "zh-CN";
  } catch (error) {
    /* storage is off: the system's theme it is */
  }
})();
