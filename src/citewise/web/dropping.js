// Files dropped anywhere on the page, folders too: drafts are read, bibliographies are imported.

import { readFiles } from "./draft.js";
import { importFiles, offerImport } from "./imports.js";
import { state } from "./state.js";

const DRAFT = /\.(tex|ltx|md|markdown|txt|docx|ipynb|qmd|rmd)$/i;
const PDF = /\.pdf$/i;

export function startDropping() {
  const body = document.body;
  body.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    body.dataset.drop = state.library?.open
      ? "Drop your draft, with its .bib"
      : "Drop files to make a library of them";
    body.classList.add("dropping");
  });
  body.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) body.classList.remove("dropping");
  });
  body.addEventListener("drop", dropped);
}

function hasFiles(event) {
  return [...(event.dataTransfer?.types ?? [])].includes("Files");
}

async function dropped(event) {
  if (!hasFiles(event)) return;
  event.preventDefault();
  document.body.classList.remove("dropping");

  const files = await filesOf(event.dataTransfer);
  if (!files.length) return;
  if (!state.library?.open) importFiles(files);
  else if (hasDraft(files.map((file) => file.name))) readFiles(files);
  else offerImport(files);
}

/** Return whether a draft is among some names; one PDF is a draft, several are papers to add. */
function hasDraft(names) {
  return (
    names.some((name) => DRAFT.test(name)) || names.filter((name) => PDF.test(name)).length === 1
  );
}

/** Return every file that was dropped, those of folders included. */
async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files];
  return (await Promise.all(entries.map(filesOfEntry))).flat();
}

async function filesOfEntry(entry) {
  if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];

  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!batch.length) return found.flat();
    found.push(...(await Promise.all(batch.map(filesOfEntry))));
  }
}
