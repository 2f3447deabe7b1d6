// Sets the chosen theme before the first paint; runs before the modules.
(() => {
  try {
    const theme = localStorage.getItem("citewise:theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // storage is switched off: the system's theme is used
  }
  document.documentElement.classList.add("scripted");
})();
