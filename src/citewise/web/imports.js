// The welcome without a library, and imports with live progress and a report of what was read.

import { api } from "./api.js";
import { dialog } from "./dialogs.js";
import { button, byId, h, replace } from "./dom.js";
import { change, state } from "./state.js";
import { counted, number } from "./words.js";

const BRING = [
  ["A bibliography", ".bib, .ris, .nbib, .enw or a Zotero export (CSL-JSON, RDF)"],
  [
    "A folder of papers",
    "PDFs, LaTeX sources, JATS or TEI files; their citing sentences become evidence",
  ],
  ["Data", "JSON Lines or CSV with titles, abstracts and references"],
];

const STAGES = { waiting: "Waiting to begin", running: "Working", done: "Done", failed: "Stopped" };

/** Draw the welcome: where there is no library yet. */
export function welcome() {
  const place = byId("welcome");
  replace(
    place,
    h("h2", { id: "welcome-title" }, "Make your first library"),
    h(
      "p",
      { class: "soft" },
      "citewise recommends what your draft should cite, from papers that you bring. ",
      "It works on this machine; nothing is sent anywhere.",
    ),
    dropZone(),
    h(
      "div",
      { class: "or" },
      h(
        "p",
        {},
        h("b", {}, "Nothing at hand? "),
        "The sample has 239 landmark papers on retrieval and citation recommendation.",
      ),
      button("Use the sample", importSample, { class: "button", id: "use-sample" }),
    ),
    h(
      "ul",
      { class: "bring" },
      BRING.map(([what, how]) => h("li", {}, h("b", {}, what), h("span", {}, how))),
    ),
  );
}

function dropZone() {
  const picker = (label, properties) => {
    const input = h("input", {
      type: "file",
      multiple: true,
      class: "unseen",
      tabindex: "-1",
      "aria-label": label,
      ...properties,
      onchange: () => importFiles([...input.files]),
    });
    return [button(label, () => input.click(), { class: "button" }), input];
  };
  return h(
    "div",
    { class: "drop-zone" },
    h("p", { class: "lead" }, "Drop a .bib, a .ris, a Zotero export or PDFs here"),
    h("p", { class: "soft small" }, "or a folder of papers; several files at once are fine"),
    h(
      "div",
      { class: "row" },
      picker("Choose files", {}),
      picker("Choose a folder", { webkitdirectory: true }),
    ),
  );
}

export function importSample() {
  run(() => api.importSample(), "the sample");
}

export function importFiles(files) {
  if (files.length)
    run(
      () => api.importFiles(files),
      files.length === 1 ? files[0].name : counted(files.length, "file"),
    );
}

/** Ask whether bibliographies that were dropped belong into the open library. */
export function offerImport(files) {
  const names = files.map((file) => file.name).join(", ");
  const box = dialog(
    "Add to this library?",
    h(
      "div",
      {},
      h(
        "p",
        {},
        `${names}: no draft is among these files. Their papers can be added to “${state.library.name}”.`,
      ),
      h(
        "div",
        { class: "row" },
        button(
          "Add papers",
          () => {
            box.close();
            importFiles(files);
          },
          { class: "primary" },
        ),
        button("Leave it", () => box.close(), { class: "button" }),
      ),
    ),
  );
}

/** Open the dialog that adds papers to the open library. */
export function importContent() {
  if (state.library.writable === false)
    return h("p", { class: "soft small" }, "This library is opened for reading only.");
  return dropZone();
}

async function run(start, name) {
  const place = progressPlace();
  place.show(working(name, { state: "waiting" }));
  try {
    const job = await start();
    const end = await followed(job, (status) => place.show(working(name, status)));
    change({ library: await api.library() });
    place.show(
      end.state === "failed"
        ? stopped(end.error?.detail, place.close)
        : report(name, end.report ?? {}, place.close),
    );
  } catch (error) {
    place.show(stopped(error.message, place.close));
  }
}

/** Return where progress is shown: the welcome itself, or a dialog over the page. */
function progressPlace() {
  document.querySelectorAll("dialog[open]").forEach((each) => each.close());
  const content = h("div", { "aria-live": "polite" });
  const show = (what) => replace(content, what);
  if (state.library?.open && !state.importing) {
    const box = dialog("Adding papers", content);
    return { show, close: () => box.close() };
  }
  change({ importing: true });
  replace(byId("welcome"), h("h2", { id: "welcome-title" }, "Your first library"), content);
  return { show, close: () => change({ importing: false }) };
}

function followed(job, show) {
  return new Promise((resolve, reject) => {
    const events = new EventSource(address(job.events_url));
    const heard = (event) => {
      const status = JSON.parse(event.data);
      show(status);
      if (status.state === "done" || status.state === "failed") {
        events.close();
        resolve(status);
      }
    };
    for (const kind of ["message", "progress", "done", "failed"])
      events.addEventListener(kind, heard);
    events.onerror = () => {
      events.close();
      polled(job, show).then(resolve, reject);
    };
  });
}

/** Ask for the job's state until it ends: where events do not come through. */
async function polled(job, show) {
  for (;;) {
    const status = await api.importState(address(job.status_url));
    show(status);
    if (status.state === "done" || status.state === "failed") return status;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function address(path) {
  return path.replace(/^\//, "");
}

function working(name, { state: at, stage, done, total }) {
  const known = total > 0;
  const said = [stage || STAGES[at], known && `${number(done)} of ${number(total)}`]
    .filter(Boolean)
    .join(", ");
  return h(
    "div",
    { class: "progress" },
    h("p", {}, `Reading ${name}`),
    h("progress", { ...(known && { max: total, value: done }), "aria-label": "Progress" }),
    h("p", { class: "soft small number" }, said),
  );
}

function stopped(words, close) {
  return h(
    "div",
    { class: "state wrong", role: "alert" },
    h("h2", {}, "The import stopped."),
    h("p", {}, words || "The server gave no reason."),
    h("div", { class: "row" }, button("Back", close, { class: "button" })),
  );
}

function report(
  name,
  {
    read = 0,
    added = 0,
    merged = 0,
    sentences = 0,
    repaired = 0,
    skipped = [],
    repairs = [],
    counts = {},
  },
  close,
) {
  const figure = (value, label) => h("div", {}, h("dt", {}, label), h("dd", {}, number(value)));
  const go = button("Open the library", close, { class: "primary" });
  setTimeout(() => go.focus());
  return h(
    "div",
    {},
    h("p", {}, `What was read from ${name}:`),
    h(
      "dl",
      { class: "counts" },
      figure(read, "records read"),
      figure(added, "papers added"),
      sentences > 0 && figure(sentences, "citing sentences"),
      figure(merged, "merged"),
      figure(repaired, "repaired"),
      figure(counts.skipped ?? skipped.length, "skipped"),
    ),
    reasons("Skipped", skipped),
    reasons("Repaired", repairs),
    h("div", { class: "row" }, go),
  );
}

function reasons(title, items) {
  if (!items.length) return null;
  const row = ({ file = "", line = "", reason = "", detail = "" }) =>
    h(
      "tr",
      {},
      h("td", {}, [file, line].filter(Boolean).join(":")),
      h("td", {}, [reason.replaceAll("_", " "), detail].filter(Boolean).join(": ")),
    );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    h(
      "table",
      { class: "table" },
      h("thead", {}, h("tr", {}, h("th", {}, "Where"), h("th", {}, `${title}: why`))),
      h("tbody", {}, items.map(row)),
    ),
  );
}
