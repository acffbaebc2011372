// OVN-Kubernetes' annotation by which the allow rules of a policy follow no connections. It is obeyed when the program is
// told so; otherwise, and where its value is neither true nor false, the rules are stateful and a warning says so.

import type { PolicyObject } from "../model/object.ts";
import type { Problems } from "../model/reader.ts";
import { Field } from "../model/reader.ts";

const annotation = "k8s.ovn.org/acl-stateless";
const tracked = "the policy's rules follow connections";

/** `isObeyed`: the program's setting. */
export function readStateless(object: PolicyObject, isObeyed: boolean, problems: Problems): boolean {
  const text = object.annotations.get(annotation);
  if (text === undefined || text === "false") return false;
  const field = new Field(problems, `metadata.annotations["${annotation}"]`, text);
  if (text !== "true") field.warn(`must be true or false, not ${field.quoted}: ${tracked}`);
  else if (!isObeyed)
    field.warn(`honoured only with --stateless-network-policy=true: ${tracked}`, "Unsupported");
  return isObeyed && text === "true";
}
