// One program on a database of one server: killed, and what happens to the database and the way there.

import { databaseKinds } from "../../faults/kinds/database.ts";
import { programKinds } from "../../faults/kinds/program.ts";
import { describeFaults } from "./judge.ts";

await describeFaults("faults of one program on one server", [
  ...programKinds.map((kind) => ({ kind, times: 3 })),
  ...databaseKinds.map((kind) => ({ kind, times: 1 })),
]);
