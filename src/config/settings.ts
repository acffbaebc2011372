// Every flag of every command, as data: its name, the commands that take it, its meaning, its possible values and its
// default. A new flag is one entry here. values.ts reads them, cli/flags.ts declares and shows them. No value is a secret:
// those are in files that a flag names, because the first line of the log shows every value.

import { logFormats, logLevels } from "../log.ts";
import { anpPriorities, namedPortForms } from "../nbdb/rows/render-mode.ts";

export type CommandName = "run" | "render" | "migrate" | "cleanup";

/** One flag: its name is also the key in a config file; the environment variable is NORTHGATE_ and the name. */
export interface Setting {
  readonly flag: string;
  readonly commands: readonly CommandName[];
  /** One letter. */
  readonly short?: string;
  /** The value's placeholder in the help; null: a switch, whose value is "true" when it is given. */
  readonly argument: string | null;
  readonly help: string;
  /** The allowed values; absent: config.ts parses the value. */
  readonly choices?: readonly string[];
  /** null: the flag is required. */
  readonly fallback: string | null;
  /** The flag may be repeated and all its values count; otherwise the last counts. */
  readonly isList?: true;
  /** Only allowed on the command line, because it confirms this one run: not in the environment or a file. */
  readonly onLineOnly?: true;
}

const every = ["run", "render", "cleanup"] as const;
const writers = ["run", "cleanup"] as const;
const renderers = ["run", "render"] as const;

export const tableFormats = ["table", "json", "yaml"] as const;
export const listFormats = ["table", "json"] as const;
export const manifestFormats = ["yaml", "json"] as const;
export const waitPoints = ["commit", "hv"] as const;
export const metricsReaders = ["none", "token", "certificate"] as const;
const booleans = ["true", "false"] as const;

export const settings = [
  {
    flag: "filename",
    commands: ["render", "migrate"],
    short: "f",
    argument: "PATH",
    help: "a manifest or a folder of them; may be given again",
    fallback: null,
    isList: true,
    onLineOnly: true,
  },
  {
    flag: "yes",
    commands: ["cleanup"],
    argument: null,
    help: "do it; without this flag it only shows what it would remove",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "kind",
    commands: ["cleanup"],
    argument: "KIND",
    help: "remove the rows of this kind only; may be given again; without it every kind but NetworkPolicy and Antrea's",
    fallback: "",
    isList: true,
    onLineOnly: true,
  },
  {
    flag: "no-conditions",
    commands: ["cleanup"],
    argument: null,
    help: "leave the conditions on the policies (no cluster is asked)",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "source",
    commands: ["run"],
    argument: "SOURCE",
    help: "where objects come from: kube, the cluster, or dir:PATH, the manifests in PATH",
    fallback: "kube",
  },
  {
    flag: "kubeconfig",
    commands: writers,
    argument: "FILE",
    help: "the cluster and who we are to it ($KUBECONFIG, ~/.kube/config, or the pod's service account)",
    fallback: "",
  },
  {
    flag: "nb",
    commands: writers,
    argument: "REMOTES",
    help: "OVN Northbound database: unix:PATH, tcp:HOST:PORT, ssl:HOST:PORT, or several with commas",
    fallback: null,
  },
  {
    flag: "nb-private-key",
    commands: writers,
    argument: "FILE",
    help: "our private key (PEM), for ssl: remotes",
    fallback: "",
  },
  {
    flag: "nb-certificate",
    commands: writers,
    argument: "FILE",
    help: "our certificate (PEM), for ssl: remotes",
    fallback: "",
  },
  {
    flag: "nb-ca-cert",
    commands: writers,
    argument: "FILE",
    help: "the CA that signed the server's certificate",
    fallback: "",
  },
  {
    flag: "zone",
    commands: every,
    argument: "NODE",
    help: "the node whose database this is: port groups and ingress named ports take its pods only",
    fallback: "",
  },
  {
    flag: "ip-families",
    commands: renderers,
    argument: "FAMILIES",
    help: "families the cluster serves: ipv4, ipv6, ipv4,ipv6, or auto: those of podCIDRs and pods",
    fallback: "auto",
  },
  {
    flag: "named-ports",
    commands: renderers,
    argument: "FORM",
    help: "destinations of named ports: list, addresses in the match; sets, an address set a number",
    choices: namedPortForms,
    fallback: "list",
  },
  {
    flag: "anp-priorities",
    commands: renderers,
    argument: "WHICH",
    help: "AdminNetworkPolicy: documented, 0 to 99, others are refused; all, 100 to 1000 have places behind them",
    choices: anpPriorities,
    fallback: "documented",
  },
  {
    flag: "wait",
    commands: ["run"],
    argument: "POINT",
    help: "when a policy is called ready: commit, acknowledged by the database; hv, programmed by every chassis",
    choices: waitPoints,
    fallback: "commit",
  },
  {
    flag: "wait-timeout",
    commands: ["run"],
    argument: "SECONDS",
    help: "how long --wait hv waits before it says so",
    fallback: "30",
  },
  {
    flag: "enable-admin-network-policy",
    commands: ["run"],
    argument: "BOOLEAN",
    help: "false: the cluster-wide kinds are not followed, and their rows stay as they are",
    choices: booleans,
    fallback: "true",
  },
  {
    flag: "enable-network-policy",
    commands: ["run"],
    argument: "BOOLEAN",
    help: "true: NetworkPolicy too, whose rows are then ours; never beside OVN-Kubernetes, which has its own",
    choices: booleans,
    fallback: "false",
  },
  {
    flag: "enable-network-policy",
    commands: ["render"],
    argument: "BOOLEAN",
    help: "false: NetworkPolicy manifests are not read",
    choices: booleans,
    fallback: "true",
  },
  {
    flag: "enable-antrea-policy",
    commands: ["run"],
    argument: "BOOLEAN",
    help: "true: ClusterNetworkPolicy, NetworkPolicy, Tier and groups of crd.antrea.io too; never beside Antrea",
    choices: booleans,
    fallback: "false",
  },
  {
    flag: "enable-antrea-policy",
    commands: ["render"],
    argument: "BOOLEAN",
    help: "false: manifests of crd.antrea.io, and Services, are not read",
    choices: booleans,
    fallback: "true",
  },
  {
    flag: "stateless-network-policy",
    commands: renderers,
    argument: "BOOLEAN",
    help: "true: k8s.ovn.org/acl-stateless is obeyed: such a NetworkPolicy's allows follow no connections",
    choices: booleans,
    fallback: "false",
  },
  {
    flag: "allow-empty",
    commands: ["run"],
    argument: null,
    help: "an empty source is meant: remove the rows that stand; without it they stay until it has an object",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "metrics-bind-address",
    commands: ["run"],
    argument: "HOST:PORT",
    help: "where /metrics, /healthz and /readyz are served; off: nowhere",
    fallback: "127.0.0.1:9476",
  },
  {
    flag: "metrics-cert",
    commands: ["run"],
    argument: "FILE",
    help: "the certificate of that server (PEM), for HTTPS; read again when it changes",
    fallback: "",
  },
  {
    flag: "metrics-key",
    commands: ["run"],
    argument: "FILE",
    help: "its private key (PEM)",
    fallback: "",
  },
  {
    flag: "metrics-auth",
    commands: ["run"],
    argument: "WHO",
    help: "who may read /metrics: none, anyone; token, whose bearer token the API server lets; certificate",
    choices: metricsReaders,
    fallback: "none",
  },
  {
    flag: "metrics-client-ca",
    commands: ["run"],
    argument: "FILE",
    help: "the CAs whose client certificates may read /metrics (PEM), for --metrics-auth certificate",
    fallback: "",
  },
  {
    flag: "log-level",
    commands: ["run"],
    argument: "LEVEL",
    help: `least severity logged: ${logLevels.join(", ")}`,
    choices: logLevels,
    fallback: "info",
  },
  {
    flag: "log-format",
    commands: ["run"],
    argument: "FORMAT",
    help: logFormats.join(" or "),
    choices: logFormats,
    fallback: "text",
  },
  {
    flag: "output",
    commands: ["render"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${tableFormats.join(", ")}`,
    choices: tableFormats,
    fallback: "table",
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["cleanup"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${listFormats.join(", ")}`,
    choices: listFormats,
    fallback: "table",
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["migrate"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${manifestFormats.join(", ")}`,
    choices: manifestFormats,
    fallback: "yaml",
    onLineOnly: true,
  },
] as const satisfies readonly Setting[];

type Entry = (typeof settings)[number];
type Taking<C extends CommandName, S extends Entry = Entry> = S extends Entry
  ? C extends S["commands"][number]
    ? S
    : never
  : never;

/** The flags that a command takes: a name that it does not take is a type error. */
export type FlagOf<C extends CommandName> = Taking<C>["flag"];

export function settingsOf(command: CommandName): readonly Setting[] {
  const all: readonly Setting[] = settings;
  return all.filter(({ commands }) => commands.includes(command));
}

export function variableOf(flag: string): string {
  return `NORTHGATE_${flag.toUpperCase().replaceAll("-", "_")}`;
}
