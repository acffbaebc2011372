// NG033: names of Services. The name of one that has an address of its own leads to that address, which no name allows; only those of
// headless Services lead to pods. A name that ends in .svc is one only for programs that have a search list.

import { canonicalHostName } from "../../../model/selectors/host-names.ts";
import type { Context } from "../../context.ts";
import type { Draft } from "../../draft.ts";
import { ofRule } from "../../draft.ts";
import { namesWritten, namingRules } from "./naming.ts";

/** https://github.com/kubernetes/dns/blob/master/docs/specification.md: NAME.NAMESPACE.svc.DOMAIN. */
const nameOfService = /^([^.*]+)\.([^.*]+)\.svc(\..+)?$/;

export function* serviceNames(context: Context): Generator<Draft> {
  for (const [entry] of namingRules(context))
    for (const { path, text } of namesWritten(context, entry)) {
      const [, name, namespace, domain] = nameOfService.exec(canonicalHostName(text)) ?? [];
      if (name === undefined || namespace === undefined) continue;
      const said = domain === undefined ? withoutDomain(text) : ofAddress(name, namespace, context);
      if (said !== null)
        yield { severity: "warning", target: ofRule(entry), field: path, about: text, ...said };
    }
}

function withoutDomain(text: string): Pick<Draft, "message" | "fix"> {
  return {
    message: `DNS has no name ${text}: it is asked for as it is written, without a search list`,
    fix: "write the cluster's domain behind it, such as .cluster.local, or select the pods by their labels",
  };
}

/** null: such a Service was not read, or has no address of its own. */
function ofAddress(
  name: string,
  namespace: string,
  { services }: Context,
): Pick<Draft, "message" | "fix"> | null {
  const service = services.find((one) => one.name === name && one.namespace === namespace);
  if (service?.isBalanced !== true) return null;
  return {
    message: `Service ${namespace}/${name} is not headless: its name leads to its own address, which no rule of names allows`,
    fix: "select the pods behind it by their labels",
  };
}
