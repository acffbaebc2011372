// The catalogue's rules about domain names. They ask about names whose addresses are learned: --names says which. A rule of other
// names is closed, which is NG005.

import type { CatalogueRule } from "./catalogue-rule.ts";
import { namesWithoutDns } from "./rules/names/dns.ts";
import { idleNames, rejectedNames } from "./rules/names/outside.ts";
import { repeatedNames } from "./rules/names/repeated.ts";
import { serviceNames } from "./rules/names/services.ts";

export const nameRules: readonly CatalogueRule[] = [
  {
    ...{ id: "NG029", name: "names without DNS", severities: ["warning"], check: namesWithoutDns },
    found:
      "a rule allows domain names, and pods that it is about may send nothing to port 53 or 5353 over UDP",
    help:
      "A rule of names allows no DNS. Allow it to the DNS pods by a rule before the one that denies. It is asked only where no DNS server is " +
      "known; otherwise NG008 reports pods that reach none.",
  },
  {
    ...{ id: "NG031", name: "names without a deny", severities: ["warning"], check: idleNames },
    found:
      "a rule allows domain names, and every other address outside the cluster is allowed on its ports as well",
    help:
      "What no policy denies is allowed, so the names restrict nothing. Add a rule that denies what is not named. It is not reported where " +
      "a policy could not be read.",
  },
  {
    ...{ id: "NG032", name: "names before a reject", severities: ["warning"], check: rejectedNames },
    found:
      "a rule allows domain names, and addresses outside the cluster that it does not name are rejected on its ports",
    help:
      "A new address of a name is allowed a moment after DNS has answered it. A packet that comes earlier is repeated by TCP after a second " +
      "if it is dropped; if it is rejected, the connection fails at once. Deny without rejecting.",
  },
  {
    ...{ id: "NG033", name: "name of a Service", severities: ["warning"], check: serviceNames },
    found:
      "a rule allows the domain name of a Service that is not headless, or the name of a Service without the cluster's domain",
    help:
      "The address of a Service is never allowed by a name: a connection to it is evaluated at the endpoint that it leads to. Select the pods " +
      "behind it by their labels. Names are asked for as they are written, without a search list, so NAME.NAMESPACE.svc has no answer.",
  },
  {
    ...{ id: "NG034", name: "repeated name", severities: ["info"], check: repeatedNames },
    found: "a domain name is in a rule twice, or another name of the rule with a * matches it",
    help: "Upper case and a dot at the end mean nothing in a name. --fix removes it.",
  },
];
