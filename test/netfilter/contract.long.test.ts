// The contract of a backend, held by the one of a packet filter on iptables as it was before nftables.

import { contractOn } from "./contract-on.ts";

contractOn("legacy");
