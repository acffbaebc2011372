// The place of hits and drops. The page counts none: it shows those that it was given, or says how to give them.

import { h } from "./dom.js";

/** @param {boolean} hasHits whether rules have counts here */
export function hitsNote(hasHits) {
  if (hasHits)
    return h(
      "span",
      { class: "quiet" },
      "Hits are those of the files of --hits, as they were when the page was started.",
    );
  return h(
    "span",
    { class: "quiet" },
    "Hits are not counted here: ",
    h("code", {}, "northgate observe-node"),
    " counts on a node what each rule has met, and ",
    h("code", {}, "northgate ui --hits FILE"),
    " shows the saved counts. With ",
    h("code", {}, "run --observe samples"),
    " the last drops are shown by ",
    h("code", {}, "northgate observe"),
    ".",
  );
}
