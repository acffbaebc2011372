// The place of hits and drops. The page counts none: it says which commands do.

import { h } from "./dom.js";

export function noHits() {
  return h(
    "span",
    { class: "quiet" },
    "Hits are not counted here: ",
    h("code", {}, "northgate observe-node"),
    " counts on a node what each rule has met. With ",
    h("code", {}, "run --observe samples"),
    " the last drops are shown by ",
    h("code", {}, "northgate observe"),
    ".",
  );
}
