// Two instances with a way each to a real API server: the ways that the leader loses, or that were never there. source.long.test.ts has
// the others.

import { sourceKinds } from "../../faults/kinds/source.ts";
import { describeFaultsOfApi } from "./judge.ts";

const short = ["API server cut for the leader", "API server not there at the start"];

await describeFaultsOfApi(
  "faults of the ways to the API server",
  sourceKinds.filter(({ name }) => short.includes(name)),
);
