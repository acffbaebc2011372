// Two instances with different inputs on one server: one writes, and the rows say which.

import { writerKinds } from "../../faults/kinds/writers.ts";
import { describeFaults } from "./judge.ts";

await describeFaults(
  "two writers on one server",
  writerKinds
    .filter(({ arena: { servers, differ } }) => servers === 1 && differ)
    .map((kind) => ({
      kind,
      times: kind.name.includes("20 s") ? 1 : 2,
      // What was sent before the takeover arrives after it.
      refused: kind.name.includes("held back") ? 1 : 0,
    })),
);
