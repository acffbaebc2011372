// Flags that say of which cluster: where objects come from, the Northbound database, and what of it a cleanup is for.

import type { Setting } from "../setting.ts";
import { askers, connected, readers, writers, sourced } from "../setting.ts";

export const ofCluster = [
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
    commands: ["run", ...readers],
    argument: "SOURCE",
    help: "where objects come from: kube, the cluster, or dir:PATH, the manifests in PATH",
    fallback: "kube",
  },
  {
    flag: "kubeconfig",
    commands: sourced,
    argument: "FILE",
    help: "the cluster and who we are to it ($KUBECONFIG, ~/.kube/config, or the pod's service account)",
    fallback: "",
  },
  {
    flag: "context",
    commands: ["plan", ...readers],
    argument: "NAME",
    help: "the context of the kubeconfig (its current one)",
    fallback: "",
    onLineOnly: true,
  },
  {
    flag: "nb",
    commands: writers,
    argument: "REMOTES",
    help: "OVN Northbound database: unix:PATH, tcp:HOST:PORT, ssl:HOST:PORT, or several with commas",
    fallback: null,
  },
  {
    flag: "nb",
    commands: askers,
    argument: "REMOTE",
    help: "ask the rows too: those of a Northbound database, as for run, or file:PATH, render -o json or a dump",
    fallback: "",
    onLineOnly: true,
  },
  {
    flag: "nb-private-key",
    commands: connected,
    argument: "FILE",
    help: "our private key (PEM), for ssl: remotes",
    fallback: "",
  },
  {
    flag: "nb-certificate",
    commands: connected,
    argument: "FILE",
    help: "our certificate (PEM), for ssl: remotes",
    fallback: "",
  },
  {
    flag: "nb-ca-cert",
    commands: connected,
    argument: "FILE",
    help: "the CA that signed the server's certificate",
    fallback: "",
  },
] as const satisfies readonly Setting[];
