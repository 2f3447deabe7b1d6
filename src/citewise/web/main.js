// Starts the page: its parts, the library, and the query of the address.

import { startAnswer, failed } from "./answer.js";
import { api, onReachable } from "./api.js";
import { ask, restore } from "./asking.js";
import { startBasket } from "./basket.js";
import { byId, h, replace } from "./dom.js";
import { startDraft } from "./draft.js";
import { startDropping } from "./dropping.js";
import { welcome } from "./imports.js";
import { startKeys } from "./keys.js";
import { startTop } from "./library.js";
import { startPreferences } from "./preferences.js";
import { startSentences } from "./sentences.js";
import { change, on, state } from "./state.js";

const RETRY = 3000; // ms between questions whether the server is back

async function start() {
  for (const part of [
    startTop,
    startDraft,
    startPreferences,
    startAnswer,
    startBasket,
    startSentences,
    startDropping,
    startKeys,
    startTabs,
  ])
    part();
  onReachable(showReachable);
  on(["library", "importing", "tab"], showPlace);
  addEventListener("popstate", restoreOrEmpty);
  await load();
}

async function load() {
  try {
    const [library, systems] = await Promise.all([api.library(), api.systems()]);
    change({ library, systems });
    if (library.open) await restore();
  } catch (error) {
    replace(byId("answer"), failed(error, load));
  }
}

async function restoreOrEmpty() {
  if (!(await restore())) change({ answer: null, like: null, status: "empty" });
}

/** Show the welcome without a library, else the tab that was chosen. */
function showPlace() {
  const isOpen = Boolean(state.library?.open) && !state.importing;
  byId("welcome").hidden = isOpen;
  if (state.library && !isOpen && !state.importing) welcome();
  byId("main").dataset.tab = isOpen ? state.tab : "welcome";
  byId("tabs").hidden = !isOpen;
  for (const name of ["draft", "sentences"]) {
    const tab = byId(`tab-${name}`);
    tab.setAttribute("aria-selected", String(name === state.tab));
    tab.tabIndex = name === state.tab ? 0 : -1;
    byId(`panel-${name}`).hidden = name !== state.tab;
  }
}

function startTabs() {
  for (const name of ["draft", "sentences"]) {
    const panel = byId(`panel-${name}`);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    byId(`tab-${name}`).addEventListener("click", () => change({ tab: name }));
  }
  byId("tabs").addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const other = state.tab === "draft" ? "sentences" : "draft";
    change({ tab: other });
    byId(`tab-${other}`).focus();
  });
}

let retry = 0;

function showReachable(isReachable) {
  if (!isReachable) return showOffline();
  if (!retry) return;

  clearTimeout(retry);
  retry = 0;
  replace(byId("offline"));
  if (!state.library) load();
  else if (state.status === "failed") ask();
}

function showOffline() {
  clearTimeout(retry);
  retry = setTimeout(() => api.health().catch(() => {}), RETRY);
  if (byId("offline").firstChild) return;
  replace(
    byId("offline"),
    h("b", {}, "The server does not answer. "),
    "Start it again with ",
    h("code", {}, "citewise serve"),
    "; this page looks for it every few seconds. Your draft and basket are kept.",
  );
}

start();
