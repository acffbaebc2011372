// One instance for one zone: mistyped, in another zone's database, beside a second zone.

import { zoneKinds } from "../../faults/kinds/zones.ts";
import { describeFaults } from "./judge.ts";

await describeFaults(
  "wrong zones",
  zoneKinds.map((kind) => ({ kind, times: 1 })),
);
