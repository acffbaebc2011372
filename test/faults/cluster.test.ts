// One program on a database of three members.

import { clusterKinds } from "../../faults/kinds/cluster.ts";
import { describeFaults } from "./judge.ts";

await describeFaults(
  "faults of a cluster",
  clusterKinds.map((kind) => ({ kind, times: 1 })),
);
