// Numbers, names and dates as people write them.

const NUMBERS = new Intl.NumberFormat("en-GB");

export function number(value) {
  return NUMBERS.format(value);
}

/** Return "1 paper", "2 papers"; `many` where the plural is not made with an s. */
export function counted(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

function people(authors, limit = 3) {
  if (authors.length <= limit) return authors.join(", ");
  const others = authors.length - limit;
  return `${authors.slice(0, limit).join(", ")} and ${counted(others, "other")}`;
}

/** Return "a, b and c". */
export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Return an author's family name, as well as it can be told from the name alone. */
export function family(name) {
  return name.includes(",") ? name.split(",")[0].trim() : (name.trim().split(/\s+/).at(-1) ?? "");
}

/** Return a text that is cut between words where it is longer than `limit` characters. */
export function cut(text, limit) {
  const points = Array.from(text);
  if (points.length <= limit) return text;
  const head = points.slice(0, limit).join("");
  return `${head.replace(/[\s,:;–-]+\S*$/, "") || head}…`;
}

export function wordCount(text) {
  return text.trim() ? text.trim().split(/\s+/).length : 0;
}

/** Return what stands below a title: authors, venue, year. */
export function described(paper) {
  return [people(paper.authors ?? []), paper.venue, paper.year].filter(Boolean);
}

export function doiOf(paper) {
  const found = paper.doi || (paper.ids ?? []).find((id) => id.startsWith("doi:"))?.slice(4);
  return found ? `https://doi.org/${encodeURI(found.replace(/^https?:\/\/doi\.org\//, ""))}` : "";
}
