// Pods, Namespaces and Nodes as protobuf: what src/informers/objects reads of them, and nothing else. A field has its name in JSON, under
// the number that k8s.io/api and k8s.io/apimachinery give it (generated.proto).

import { loggingAnnotation } from "../../../informers/objects/namespace.ts";
import { nodeAnnotations } from "../../../informers/objects/node.ts";
import { podNetworks } from "../../../informers/objects/pod.ts";
import type { Numbered } from "../../../protobuf/fields.ts";
import {
  bool,
  givenInt32,
  givenText,
  inline,
  list,
  message,
  shape,
  text,
  textMap,
  texts,
} from "../../../protobuf/fields.ts";

/** metav1.ObjectMeta of which no annotation is read, and no owner. */
const plainMetadata: Numbered = {
  1: text("name"),
  3: text("namespace"),
  6: text("resourceVersion"),
  11: textMap("labels"),
};

const ports = list("ports", {
  1: text("name"),
  3: givenInt32("containerPort"),
  4: text("protocol"),
});

const podMetadata: Numbered = { ...plainMetadata, 12: textMap("annotations", [podNetworks]) };

const podSpec: Numbered = {
  2: list("containers", { 6: ports }),
  8: text("serviceAccountName"),
  10: text("nodeName"),
  11: bool("hostNetwork"),
  20: list("initContainers", { 6: ports, 24: text("restartPolicy") }),
};

const podStatus = message("status", {
  1: text("phase"),
  6: text("podIP"),
  12: list("podIPs", { 1: text("ip") }),
});

export const pod = shape({ 1: message("metadata", podMetadata), 2: message("spec", podSpec), 3: podStatus });

const owners = list("ownerReferences", {
  1: givenText("kind"),
  3: givenText("name"),
  5: givenText("apiVersion"),
  6: bool("controller"),
});

const volumes = list("volumes", {
  2: inline({ 26: message("projected", { 1: list("sources", { 4: message("serviceAccountToken", {}) }) }) }),
});

/** With what only commands that read ask for. */
export const wholePod = shape({
  1: message("metadata", { ...podMetadata, 13: owners }),
  2: message("spec", { ...podSpec, 1: volumes, 21: bool("automountServiceAccountToken") }),
  3: podStatus,
});

export const namespace = shape({
  1: message("metadata", { ...plainMetadata, 12: textMap("annotations", [loggingAnnotation]) }),
});

export const node = shape({
  1: message("metadata", { ...plainMetadata, 12: textMap("annotations", nodeAnnotations) }),
  2: message("spec", { 1: text("podCIDR"), 7: texts("podCIDRs") }),
  3: message("status", { 5: list("addresses", { 1: givenText("type"), 2: givenText("address") }) }),
});
