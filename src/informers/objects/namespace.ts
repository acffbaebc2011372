// v1 Namespace → NamespaceFact. Every fact carries the label with its own name that the API server always sets, so that
// selectors can also match hand-written manifests by it.

import type { NamespaceFact } from "../../model/facts.ts";
import type { Parsed } from "./object.ts";
import { parsed, readLabels, readNamespaceName } from "./object.ts";

export const loggingAnnotation = "k8s.ovn.org/acl-logging";

export function parseNamespace(value: unknown): Parsed<NamespaceFact> {
  return parsed(value, (root) => {
    const name = readNamespaceName(root.at("metadata").at("name"));
    const labels = readLabels(root);
    if (name === null || labels === null) return null;
    const { raw: logging } = root.at("metadata").at("annotations").at(loggingAnnotation);
    return {
      ...{ kind: "Namespace", name },
      labels: new Map([...labels, ["kubernetes.io/metadata.name", name]]),
      // Whoever uses it reads it, and says what is wrong with it.
      ...(typeof logging === "string" && logging !== "" ? { logging } : {}),
    };
  });
}
