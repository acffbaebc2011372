// The catalogue from NG021 to NG028: policies that say what their author did not mean, and what says nothing that is not said already.

import type { CatalogueRule } from "./catalogue-rule.ts";
import { temporaryAddresses } from "./rules/networks/addresses.ts";
import { dashMistakes } from "./rules/dash.ts";
import { everyone } from "./rules/networks/everyone.ts";
import { emptyNetworks } from "./rules/networks/exceptions.ts";
import { redundantPolicies, redundantRules } from "./rules/redundant.ts";
import { servicePorts } from "./rules/ports/service-ports.ts";
import { neverHit } from "./rules/unhit.ts";
import { uncoveredPods } from "./rules/uncovered.ts";

export const intentRules: readonly CatalogueRule[] = [
  {
    ...{ id: "NG021", name: "port of a Service", severities: ["warning"], check: servicePorts },
    found:
      "a rule names the port of a Service, and the port that it leads to on the pods has the opposite verdict from the same ends",
    help:
      "Rules see a connection to a Service where it arrives: at a pod, on the targetPort. Write the pod's port, by its number or by its " +
      "name. Services are read from the same manifests or from the cluster.",
  },
  {
    ...{ id: "NG022", name: "temporary address", severities: ["warning", "info"], check: temporaryAddresses },
    found:
      "a network is the address of a pod, or is that of a Service; information where it has addresses of several Services alone",
    help:
      "A pod that is replaced has another address. The address of a Service is never seen by a rule: a connection to it is evaluated " +
      "at the endpoint that it leads to. Name pods by their labels; where a Service has no pods, name the addresses of its endpoints.",
  },
  {
    ...{ id: "NG023", name: "dash mistake", severities: ["warning"], check: dashMistakes },
    found:
      "two list items of selectors mean either, and the pods are those that both select; or one item means both, and selects nothing, " +
      "while each of its selectors selects some",
    help:
      "Selectors in one list item must both hold, and of several items any is enough. It is found only where what is written selects " +
      "nothing in the policy's own namespace, and what a dash more or less would select is there.",
  },
  {
    ...{ id: "NG024", name: "everyone", severities: ["warning", "info"], check: everyone },
    found:
      "a list of peers is empty, which is everyone; information where a rule {} stands beside others, or a network of all addresses " +
      "allows connections between pods",
    help:
      "An empty list of peers is as if it were not there. 0.0.0.0/0 holds the pod network, unless the rule " +
      "excepts it. What NG007 reports of a deny is reported here of an allow.",
  },
  {
    ...{ id: "NG025", name: "nothing left", severities: ["warning"], check: emptyNetworks },
    found: "the exceptions of a network leave no address of it, one by one or together",
    help: "The network matches nothing. Narrow the exceptions, or remove the network.",
  },
  {
    ...{ id: "NG026", name: "no policy", severities: ["info"], check: uncoveredPods },
    found: "no policy selects a pod, for ingress or for egress",
    help:
      "Everything may reach such a pod, and it may reach everything. There is one finding for each namespace in which policies select " +
      "other pods, and one for all namespaces without any policy. Namespaces that begin with kube- are left out: Kubernetes reserves " +
      "them. The findings belong to the Namespace or to the cluster, so an annotation of a policy does not suppress them; --skip does.",
  },
  {
    ...{ id: "NG027", name: "redundant policy", severities: ["warning", "info"], check: redundantPolicies },
    found:
      "other policies of its tier say the same without it: removing it changes what no side of any connection says; information where " +
      "that holds only for the objects that were read",
    help:
      "The policies that make it so are named. All policies and rules that NG027 and NG028 report can be removed together. A policy is " +
      "not reported if its isolation is needed for pods that are added later, if it denies by default and no other does, if only policies of another tier say the same, or if it " +
      "decides nothing (NG016).",
  },
  {
    ...{ id: "NG028", name: "redundant rule", severities: ["info"], check: redundantRules },
    found:
      "a rule decides connections, and the other rules of its policy would decide them alike: an allow before a wider allow",
    help:
      "Removing it changes what no side of any connection says. If this holds only for the objects that were read, the message says " +
      '"among today\'s objects". A rule that never decides is NG001 or NG002.',
  },
  {
    ...{ id: "NG030", name: "never hit", severities: ["info"], check: neverHit },
    ofRows: true,
    found:
      "with --hits, no packet has met a rule since the readers of all nodes that count it have begun, an hour ago or longer",
    help:
      "The counts are those of northgate observe-node (docs/observe.md). A rule that is not counted is not reported: its pods are on other " +
      "nodes, or OVN has one flow for it and for an equal rule. Neither is one that closes its policy by denying everything at its end. " +
      "Counts begin again with a reader, and what connects seldom may not have come yet.",
  },
];
