// Two instances on a real API server that is killed, starved of its store, and cut off again and again.

import { apiKinds } from "../../faults/kinds/api.ts";
import { describeFaultsOfApi } from "./judge.ts";

await describeFaultsOfApi("faults of the API server", apiKinds);
