// Mistakes in the page and in who gets it: a name that leads here by foreign DNS, a reason that is lost, a plan's cell too many.

import type { Listed } from "./list.ts";

export const ui: readonly Listed[] = [
  {
    name: "any-host-is-own",
    file: "src/ui/serving/server.ts",
    was: 'return isIP(v6 ?? name) !== 0 || ["localhost", ...allowed].includes(name.toLowerCase());',
    becomes: 'return isIP(v6 ?? name) !== 0 || name !== "";',
    harm: "a web site whose name its owner's DNS leads to 127.0.0.1 reads policies and pods out of the page",
  },
  {
    name: "foreign-pages-are-answered",
    file: "src/ui/serving/server.ts",
    was: 'const isForeign = site !== undefined && site !== "same-origin" && site !== "none";',
    becomes: "const isForeign = false;",
    harm: "any web site that is open makes the program work",
  },
  {
    name: "no-rest-between-answers",
    file: "src/ui/serving/throttle.ts",
    was: "this.#next((this.#clock.now() - started) * this.#rest);",
    becomes: "this.#next(0);",
    harm: "whoever asks the page of run keeps the controller from its work",
  },
  {
    name: "cell-of-a-pod-with-itself",
    file: "src/plan/matrix.ts",
    was: "return sent.length > 1 || reached.length > 1 || sent[0] !== reached[0];",
    becomes: "return true;",
    harm: "the page marks a namespace in which no connection changes",
  },
  {
    name: "one-word-finds",
    file: "src/ui/search/pods.ts",
    was: "words.every((word) =>",
    becomes: "words.some((word) =>",
    harm: "who narrows a search down gets more pods, not fewer",
  },
  {
    name: "the-other-side-is-told",
    file: "src/explain/sentence.ts",
    was: '.filter(({ side }) => side.verdict === "deny")',
    becomes: '.filter(({ side }) => side.verdict !== "deny")',
    harm: "the sentence names the side that allows as the one that denies",
  },
  {
    name: "streams-without-end",
    file: "src/ui/serving/events.ts",
    was: "if (this.#open.size >= mostStreams)",
    becomes: "if (this.#open.size < 0)",
    harm: "tabs and strangers hold as many connections of the page as they like",
  },
  {
    name: "any-page-posts",
    file: "src/ui/serving/server.ts",
    was: 'if (origin !== undefined && origin.replace(/^https?:\\/\\//, "") !== host)',
    becomes: "if (false)",
    harm: "a page of somebody else has texts compared",
  },
  {
    name: "columns-of-all-rows",
    file: "src/plan/filtered.ts",
    was: "const all = to.filter((name) => reached.has(name));",
    becomes: "const all = to.slice(0, size.columns);",
    harm: "cells of a large plan are in no window, and nobody sees them",
  },
];
