// Two instances with different inputs on a cluster, whose members' locks know nothing of each other.

import { writerKinds } from "../../faults/kinds/writers.ts";
import { describeFaults } from "./judge.ts";

await describeFaults(
  "two writers on a cluster",
  writerKinds
    .filter(({ arena: { servers, differ } }) => servers === 3 && differ)
    .map((kind) => ({ kind, times: 1, refused: kind.name.includes("held back") ? 1 : 0 })),
);
