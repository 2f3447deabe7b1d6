// "Not relevant" and its undoing; what is judged is kept in the user's own file by the server.

import { api } from "./api.js";
import { requestBody } from "./asking.js";
import { notice } from "./notices.js";
import { change, state } from "./state.js";
import { cut } from "./words.js";

let warned = false;

/** Keep a verdict; the page goes on where that fails, and says so once. */
export function judge({ paper, rank }, verdict) {
  const { title, abstract, cited, hidden, authors, year } = requestBody();
  const query = { title, abstract, cited, hidden, authors, ...(year && { year }) };
  api.judge(paper.id, verdict, title || abstract ? query : null, rank).catch((error) => {
    if (!warned) notice(`What you accept and reject cannot be kept: ${error.message}`);
    warned = true;
  });
}

/** Take a paper out of the answer, with a way back. */
export function reject(found) {
  const { id, title } = found.paper;
  const undo = () => {
    change({ rejected: without(id) });
    judge(found, "cleared");
  };
  change({ rejected: new Set([...state.rejected, id]) });
  judge(found, "rejected");
  notice(`“${cut(title, 48)}” is taken out.`, undo);
}

function without(id) {
  return new Set([...state.rejected].filter((each) => each !== id));
}
