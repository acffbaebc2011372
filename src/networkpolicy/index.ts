// The dialect of networking.k8s.io/v1 NetworkPolicy. The other files of this folder are private.

import { switchedDialect } from "../policy/contracts/switched-dialect.ts";
import { networkPolicyDialect } from "./compile.ts";

const booleans = ["true", "false"] as const;

export const networkPolicy = switchedDialect({
  switch: {
    flag: "enable-network-policy",
    isOn: false,
    help: "true: also enforce NetworkPolicy and own its rows; never beside OVN-Kubernetes, which enforces it itself",
    renderHelp: "false: NetworkPolicy manifests are not read",
    chartValue: "followNetworkPolicy",
  },
  options: {
    "stateless-network-policy": {
      argument: "BOOLEAN",
      help: "true: honour k8s.ovn.org/acl-stateless: the allow rules of such a NetworkPolicy are stateless",
      choices: booleans,
      fallback: "false",
    },
  },
  isSpared: false,
  dialects: (options) => [
    networkPolicyDialect({ stateless: options["stateless-network-policy"] === "true" }),
  ],
});
