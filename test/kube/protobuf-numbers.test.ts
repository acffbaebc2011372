// The messages that tests and the bench write are Kubernetes' own: kubernetes.proto has what generated.proto of k8s.io/api and
// k8s.io/apimachinery has, where a control plane was built here and the modules lie.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { kubernetesMessages, parseProto } from "../support/protobuf/encoder.ts";
import { skippedGroup } from "../support/skipped-group.ts";

const version = "v0.34.4";
const modules = ".cache/go/mod/k8s.io";
const files = [
  ...["core/v1", "networking/v1", "discovery/v1"].map((folder) => `api@${version}/${folder}`),
  ...["apis/meta/v1", "api/resource", "util/intstr", "runtime"].map(
    (folder) => `apimachinery@${version}/pkg/${folder}`,
  ),
].map((folder) => join(modules, folder, "generated.proto"));

const name = "messages of Kubernetes";
if (files.every((file) => existsSync(file))) {
  describe(name, () => {
    /** In one name space; of two of one name, the later one's: the envelope's TypeMeta is that of runtime. */
    const theirs = new Map(files.flatMap((file) => [...parseProto(plain(readFileSync(file, "utf8")))]));

    test.each([...kubernetesMessages])("%s has the same fields", (message, fields) => {
      expect(fields).toEqual(theirs.get(message));
    });
  });
} else skippedGroup(name, `needs ${modules}`);

/** Names of types without their packages. */
function plain(text: string): string {
  return text.replaceAll(
    /map<string, ?([\w.]+)>|\.?(?:\w+\.)+(\w+)(?= \w+ = )/g,
    (_, value?: string, type?: string) =>
      value === undefined ? (type ?? "") : `map<string, ${value.slice(value.lastIndexOf(".") + 1)}>`,
  );
}
