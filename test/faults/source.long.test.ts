// Two instances with a way each to a real API server, which is cut, slow, answers with errors only, or was never there.

import { sourceKinds } from "../../faults/kinds/source.ts";
import { describeFaultsOfApi } from "./judge.ts";

await describeFaultsOfApi("faults of the ways to the API server", sourceKinds);
