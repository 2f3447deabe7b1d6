// The permanent link: the whole query in the address's fragment, which browsers send nowhere.

import { emptyDraft, emptySettings } from "./state.js";

const SHORT = 400; // characters; longer queries are compressed

/** Return the fragment for a query, "" for an empty one. */
export async function fragmentOf({ draft, settings, like, k }) {
  const query = pruned({ draft: pruned(draft), settings: pruned(settings), like, k });
  if (!query.draft && !like) return "";

  const bytes = new TextEncoder().encode(JSON.stringify(query));
  if (bytes.length <= SHORT || !globalThis.CompressionStream) return `#q=${base64(bytes)}`;
  return `#z=${base64(await through(bytes, new CompressionStream("deflate-raw")))}`;
}

/** Return the query of a fragment, null where it has none that can be read. */
export async function queryOf(fragment) {
  const [, kind, text] = /^#([qz])=([\w-]+)$/.exec(fragment) ?? [];
  if (!kind) return null;

  try {
    const packed = bytesOf(text);
    const bytes =
      kind === "z" ? await through(packed, new DecompressionStream("deflate-raw")) : packed;
    return checked(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}

/** Return a query with each part in the shape that the page expects, whatever the link says. */
function checked({ draft = {}, settings = {}, like = null, k = 20 }) {
  const texts = (list) => (Array.isArray(list) ? list.map(String) : []);
  const year = (value) => (Number.isInteger(value) ? value : null);
  const { preferences = {} } = settings;
  return {
    draft: {
      ...emptyDraft(),
      title: String(draft.title ?? ""),
      abstract: String(draft.abstract ?? ""),
      cited: texts(draft.cited),
      hidden: texts(draft.hidden),
      authors: texts(draft.authors),
      year: year(draft.year),
    },
    settings: {
      ...emptySettings(),
      since: year(settings.since),
      until: year(settings.until),
      preferences: typeof preferences === "object" && preferences ? preferences : {},
      system: String(settings.system ?? ""),
      withCited: settings.withCited === true,
      venue: String(settings.venue ?? ""),
    },
    like:
      like && like.id
        ? {
            id: String(like.id),
            title: String(like.title ?? ""),
            abstract: String(like.abstract ?? ""),
          }
        : null,
    k: Number.isInteger(k) && k > 0 ? Math.min(k, 100) : 20,
  };
}

/** Return an object without its empty values, undefined where nothing is left. */
function pruned(values) {
  const kept = Object.entries(values ?? {}).filter(([, value]) => !isEmpty(value));
  return kept.length ? Object.fromEntries(kept) : undefined;
}

function isEmpty(value) {
  if (value === null || value === undefined || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

async function through(bytes, transform) {
  const stream = new Blob([bytes]).stream().pipeThrough(transform);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function base64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function bytesOf(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}
