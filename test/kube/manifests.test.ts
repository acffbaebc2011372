// What `kubectl delete -k manifests/base` would delete: no policy, which goes with the definition of its kind.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { parse, parseAllDocuments } from "yaml";

const manifests = fileURLToPath(new URL("../../manifests", import.meta.url));
/** All that may be in a kustomization here: what is not listed could bring objects along unseen. */
const fields = new Set(["apiVersion", "kind", "namespace", "resources"]);

interface Found {
  readonly kind: string;
  readonly file: string;
}

function* objectsIn(folder: string): Generator<Found> {
  const kustomization = parse(readFileSync(join(folder, "kustomization.yaml"), "utf8")) as {
    readonly resources: readonly string[];
  };
  expect(Object.keys(kustomization).filter((field) => !fields.has(field))).toEqual([]);
  for (const resource of kustomization.resources) {
    const path = join(folder, resource);
    if (statSync(path).isDirectory()) yield* objectsIn(path);
    else
      for (const document of parseAllDocuments(readFileSync(path, "utf8")))
        yield { kind: (document.toJS() as { readonly kind: string }).kind, file: relative(manifests, path) };
  }
}

test("no CRD is reached from manifests/base", () => {
  const found = [...objectsIn(join(manifests, "base"))];
  expect(found.map(({ kind }) => kind)).toContain("Deployment");
  expect(found.filter(({ kind }) => kind === "CustomResourceDefinition")).toEqual([]);
});

test("manifests/crds has the CRDs and nothing else, and every manifest is in a kustomization", () => {
  const crds = [...objectsIn(join(manifests, "crds"))];
  expect(crds.map(({ kind }) => kind)).toEqual(["CustomResourceDefinition", "CustomResourceDefinition"]);
  const others = ["base", "metrics-auth"].flatMap((folder) => [...objectsIn(join(manifests, folder))]);
  const listed = [...others, ...crds].map(({ file }) => file);
  const files = readdirSync(manifests, { recursive: true, encoding: "utf8" });
  const manifest = (file: string) => file.endsWith(".yaml") && !file.endsWith("kustomization.yaml");
  expect([...new Set(listed)].sort()).toEqual(files.filter(manifest).sort());
});
