// The dialect of crd.antrea.io/v1beta1. The other files of this folder are private.

import { logSeverities } from "../model/log-severity.ts";
import { namesFlag, namesOption } from "../policy/contracts/names.ts";
import { switchedDialect } from "../policy/contracts/switched-dialect.ts";
import { antreaDialect, persistFlag } from "./compile.ts";

export const antrea = switchedDialect({
  switch: {
    flag: "enable-antrea-policy",
    isOn: false,
    help: "true: also enforce ClusterNetworkPolicy, NetworkPolicy, Tier and groups of crd.antrea.io; never beside Antrea",
    renderHelp: "false: manifests of crd.antrea.io, and Services, are not read",
    chartValue: "followAntreaPolicy",
  },
  options: {
    "antrea-log-severity": {
      argument: "SEVERITY",
      help: "severity at which ovn-controller logs verdicts of Antrea's rules with enableLogging",
      choices: logSeverities,
      fallback: "info",
    },
    [persistFlag]: {
      argument: "BOOLEAN",
      help: "true: a connection that an Antrea rule allowed continues when a later rule denies it; needs OVN 25.03",
      choices: ["true", "false"],
      fallback: "false",
    },
    [namesFlag]: namesOption,
  },
  isSpared: true,
  dialects: (options) => [
    antreaDialect({
      severity: options["antrea-log-severity"],
      persistent: options[persistFlag] === "true",
      names: options[namesFlag],
    }),
  ],
});
