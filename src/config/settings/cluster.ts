// Flags that name the cluster: the source of objects, the Northbound database, and which of its rows cleanup removes.

import { conditionChoices } from "../choices.ts";
import type { Setting } from "../setting.ts";
import { askers, connected, readers, writers, sourced } from "../setting.ts";

export const ofCluster = [
  {
    flag: "yes",
    commands: ["cleanup"],
    argument: null,
    help: "remove the rows; without this flag, only show what would be removed",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "kind",
    commands: ["cleanup"],
    argument: "KIND",
    help: "remove only the rows of this kind; may be repeated; without it, the kinds that run watches by default",
    fallback: "",
    isList: true,
    onLineOnly: true,
  },
  {
    flag: "no-conditions",
    commands: ["cleanup"],
    argument: null,
    help: "keep the conditions on the policies (the cluster is not contacted)",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "conditions",
    commands: ["run"],
    argument: "BOOLEAN",
    help: "write conditions and events to policies: true, false, or auto (false with a backend of one node: every node would)",
    choices: conditionChoices,
    fallback: "auto",
  },
  {
    flag: "source",
    commands: ["run", ...readers],
    argument: "SOURCE",
    help: "where objects are read: kube (the cluster) or dir:PATH (the manifests in PATH)",
    fallback: "kube",
    chartValue: null,
  },
  {
    flag: "kubeconfig",
    commands: sourced,
    argument: "FILE",
    help: "the kubeconfig file ($KUBECONFIG, ~/.kube/config, or the pod's service account)",
    fallback: "",
  },
  {
    flag: "context",
    commands: ["plan", ...readers],
    argument: "CONTEXT",
    help: "the context of the kubeconfig (the current context)",
    fallback: "",
    onLineOnly: true,
  },
  {
    flag: "nb",
    commands: writers,
    argument: "REMOTES",
    help: "OVN Northbound database: unix:PATH, tcp:HOST:PORT, ssl:HOST:PORT, or several separated by commas",
    fallback: null,
    chartValue: "nb.remotes",
  },
  {
    flag: "nb",
    commands: askers,
    argument: "REMOTE",
    help: "also read the rows: those of a Northbound database, as for run, or file:PATH (output of render -o json, or a dump)",
    fallback: "",
    onLineOnly: true,
  },
  {
    flag: "nb-private-key",
    commands: connected,
    argument: "FILE",
    help: "the client's private key (PEM), for ssl: remotes",
    fallback: "",
    chartValue: "nb.tlsSecret",
  },
  {
    flag: "nb-certificate",
    commands: connected,
    argument: "FILE",
    help: "the client's certificate (PEM), for ssl: remotes",
    fallback: "",
    chartValue: "nb.tlsSecret",
  },
  {
    flag: "nb-ca-cert",
    commands: connected,
    argument: "FILE",
    help: "the CA that signed the server's certificate",
    fallback: "",
    chartValue: "nb.tlsSecret",
  },
] as const satisfies readonly Setting[];
