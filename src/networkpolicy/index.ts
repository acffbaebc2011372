// The dialect of networking.k8s.io/v1 NetworkPolicy. The other files of this folder are private.

import { switchedDialect } from "../policy/contracts/switched-dialect.ts";
import { networkPolicyDialect } from "./compile.ts";

const booleans = ["true", "false"] as const;

export const networkPolicy = switchedDialect({
  switch: {
    flag: "enable-network-policy",
    isOn: false,
    help: "true: NetworkPolicy too, whose rows are then ours; never beside OVN-Kubernetes, which has its own",
    renderHelp: "false: NetworkPolicy manifests are not read",
    chartValue: "followNetworkPolicy",
  },
  options: {
    "stateless-network-policy": {
      argument: "BOOLEAN",
      help: "true: k8s.ovn.org/acl-stateless is obeyed: such a NetworkPolicy's allows follow no connections",
      choices: booleans,
      fallback: "false",
    },
  },
  isSpared: false,
  dialects: (options) => [
    networkPolicyDialect({ stateless: options["stateless-network-policy"] === "true" }),
  ],
});
