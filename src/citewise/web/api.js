// Calls the server. Every failure is a Problem (the server's words) or Offline (no answer at all).

class Problem extends Error {
  constructor(status, document) {
    super(document.detail || document.title || `The server answered with status ${status}.`);
    this.status = status;
    this.title = document.title || "The server could not do this";
    this.code = document.code || "";
  }
}

export class Offline extends Error {}

const listeners = new Set();

/** Call a function with true or false whenever the server is found to answer or not. */
export function onReachable(listener) {
  listeners.add(listener);
}

function tell(reachable) {
  for (const listener of listeners) listener(reachable);
}

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    tell(false);
    throw new Offline("The server does not answer.");
  }
  tell(true);
  if (!response.ok) throw new Problem(response.status, await problemOf(response));
  return response;
}

async function problemOf(response) {
  try {
    return await response.json();
  } catch {
    return {};
  }
}

async function get(path, signal) {
  return (await call(path, { signal })).json();
}

function post(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return call(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

async function postForJson(path, body, signal) {
  return (await post(path, body, signal)).json();
}

/** Yield the name and the data of each server-sent event of a response. */
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    const whole = (rest + (value ?? "")).split("\n\n");
    rest = whole.pop();
    for (const text of whole) {
      const lines = text.split("\n");
      const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
      yield [lines[0].replace("event: ", ""), JSON.parse(data.join("\n"))];
    }
    if (done) return;
  }
}

/** Ask for an answer by words, which `show` gets, then for the refined one, which is returned. */
async function recommendInTwo(body, signal, show) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const options = { method: "POST", headers, body: JSON.stringify(body), signal };
  const response = await call("v1/recommend", options);
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  if (!isStream) return response.json();
  try {
    for await (const [name, document] of events(response)) {
      performance.mark(`${name} answer`); // for whoever measures the page
      if (name === "problem") throw new Problem(document.status, document);
      if (name === "refined") return document;
      show(document);
    }
  } catch (error) {
    if (error instanceof Problem || error.name === "AbortError") throw error;
  }
  throw new Offline("The server stopped while it was answering.");
}

function form(files) {
  const data = new FormData();
  for (const file of files) data.append("files", file, file.path ?? file.name);
  return data;
}

async function send(path, files) {
  return (await call(path, { method: "POST", body: form(files) })).json();
}

function paperPath(id) {
  return `v1/papers/${id.split("/").map(encodeURIComponent).join("/")}`;
}

/** Return the library's document with its first and last year. */
function openedLibrary(document) {
  // 0 stands for papers without a year
  const years = Object.keys(document.years ?? {}).map(Number).filter((year) => year > 0);
  return { ...document, years: years.length ? [Math.min(...years), Math.max(...years)] : [] };
}

export const api = {
  library: async () => openedLibrary(await get("v1/library")),
  systems: () => get("v1/systems"),
  health: () => call("healthz"),
  readText: (text, signal) => postForJson("v1/read", { text }, signal),
  readFiles: (files) => send("v1/read", files),
  recommend: (body, signal) => postForJson("v1/recommend", body, signal),
  recommendInTwo,
  cite: (body, signal) => postForJson("v1/cite", body, signal),
  passage: (body, signal) => postForJson("v1/passage", body, signal),
  references: (id, limit) => get(`${paperPath(id)}/references?limit=${limit}`),
  citers: (id, limit) => get(`${paperPath(id)}/citers?limit=${limit}`),
  search: (words, limit) => get(`v1/search?q=${encodeURIComponent(words)}&limit=${limit}`),
  map: (body, signal) => postForJson("v1/map", body, signal),
  bibliography: async (ids, format) => (await post("v1/bibliography", { ids, format })).text(),
  importFiles: (files) => send("v1/imports", files),
  importSample: () => postForJson("v1/imports", { sample: true }),
  importState: (address) => get(address),
  feedback: () => get("v1/feedback"),
  forgetFeedback: () => call("v1/feedback", { method: "DELETE" }),
  judge: (paper, verdict, query, rank) => post("v1/feedback", { paper, verdict, query, rank }),
};
