// The settings of `northgate run`, as data: what each is called, what it means, and what holds when nobody says anything.
// config.ts reads them, cli/run.ts and docs show them.

import { logFormats, logLevels } from "../log.ts";

/** One setting: the flag's name is also the key in the file; the environment variable is NORTHGATE_ and the name. */
export interface Setting {
  readonly flag: string;
  readonly argument: string;
  readonly help: string;
  readonly fallback: string | null;
}

export const runSettings = [
  {
    flag: "source",
    argument: "SOURCE",
    help: "where objects come from: kube, the cluster, or dir:PATH, the manifests in PATH",
    fallback: "kube",
  },
  {
    flag: "kubeconfig",
    argument: "FILE",
    help: "the cluster and who we are to it ($KUBECONFIG, ~/.kube/config, or the pod's service account)",
    fallback: "",
  },
  {
    flag: "nb",
    argument: "REMOTES",
    help: "OVN Northbound database: unix:PATH, tcp:HOST:PORT, ssl:HOST:PORT, or several with commas",
    fallback: null,
  },
  { flag: "nb-private-key", argument: "FILE", help: "our private key (PEM), for ssl: remotes", fallback: "" },
  { flag: "nb-certificate", argument: "FILE", help: "our certificate (PEM), for ssl: remotes", fallback: "" },
  { flag: "nb-ca-cert", argument: "FILE", help: "the CA that signed the server's certificate", fallback: "" },
  {
    flag: "zone",
    argument: "NODE",
    help: "the node whose database this is: port groups and ingress named ports take its pods only",
    fallback: "",
  },
  {
    flag: "ip-families",
    argument: "FAMILIES",
    help: "families the cluster serves: ipv4, ipv6, ipv4,ipv6, or auto: those of podCIDRs and pods",
    fallback: "auto",
  },
  {
    flag: "named-ports",
    argument: "FORM",
    help: "destinations of named ports: list, addresses in the match; sets, an address set a number",
    fallback: "list",
  },
  {
    flag: "wait",
    argument: "POINT",
    help: "when a policy is called ready: commit, acknowledged by the database; hv, programmed by every chassis",
    fallback: "commit",
  },
  {
    flag: "wait-timeout",
    argument: "SECONDS",
    help: "how long --wait hv waits before it says so",
    fallback: "30",
  },
  {
    flag: "enable-admin-network-policy",
    argument: "BOOLEAN",
    help: "false: nothing is followed and the rows stay as they are",
    fallback: "true",
  },
  {
    flag: "metrics-bind-address",
    argument: "HOST:PORT",
    help: "where /metrics, /healthz and /readyz are served; off: nowhere",
    fallback: "127.0.0.1:9476",
  },
  {
    flag: "log-level",
    argument: "LEVEL",
    help: `least severity logged: ${logLevels.join(", ")}`,
    fallback: "info",
  },
  { flag: "log-format", argument: "FORMAT", help: logFormats.join(" or "), fallback: "text" },
] as const satisfies readonly Setting[];
