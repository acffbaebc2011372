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
  expect(crds.map(({ kind }) => kind)).toEqual(new Array(3).fill("CustomResourceDefinition"));
  const antrea = [...objectsIn(join(manifests, "crds/antrea"))];
  expect(antrea.map(({ kind }) => kind)).toEqual(new Array(5).fill("CustomResourceDefinition"));
  const others = ["base", "metrics-auth"].flatMap((folder) => [...objectsIn(join(manifests, folder))]);
  const listed = [...others, ...crds, ...antrea].map(({ file }) => file);
  const files = readdirSync(manifests, { recursive: true, encoding: "utf8" });
  const manifest = (file: string) => file.endsWith(".yaml") && !file.endsWith("kustomization.yaml");
  expect([...new Set(listed)].sort()).toEqual(files.filter(manifest).sort());
});

interface Applied {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly { readonly resources?: readonly string[]; readonly verbs: readonly string[] }[];
  readonly spec?: { readonly template: { readonly spec: Readonly<Record<string, unknown>> } };
}

/** All objects of the folders, as they are applied. */
function documents(...folders: readonly string[]): readonly Applied[] {
  return folders
    .flatMap((folder) => [...objectsIn(join(manifests, folder))])
    .flatMap(({ file }, at, all) => (all.findIndex((other) => other.file === file) === at ? [file] : []))
    .flatMap((file) => parseAllDocuments(readFileSync(join(manifests, file), "utf8")))
    .map((document) => document.toJS() as Applied);
}

test("the container can write nothing, gain nothing and call little; only its pod gets the account's token", () => {
  const all = documents("base");
  const account = all.find(({ kind }) => kind === "ServiceAccount");
  expect(account).toMatchObject({ automountServiceAccountToken: false });
  const pod = all.find(({ kind }) => kind === "Deployment")?.spec?.template.spec ?? {};
  expect(pod).toMatchObject({ serviceAccountName: "northgate", automountServiceAccountToken: true });
  expect(pod).not.toHaveProperty("hostPID");
  expect(pod).not.toHaveProperty("hostIPC");
  expect(pod["containers"]).toEqual([
    expect.objectContaining({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
        seccompProfile: { type: "RuntimeDefault" },
        runAsUser: 0, // see deployment.yaml
      },
    }),
  ]);
  // A folder of the node: that of the socket, and no other.
  expect(JSON.stringify(pod["volumes"]).match(/"hostPath":\{"path":"[^"]+"/g)).toEqual([
    '"hostPath":{"path":"/var/run/ovn"',
  ]);
});

test("no right is for everything, and none reads or writes what is not ours", () => {
  const roles = documents("base", "metrics-auth").filter(({ kind }) => kind.endsWith("Role"));
  const rights = roles.flatMap(({ metadata, rules = [] }) =>
    rules.flatMap(({ verbs, ...of }) => verbs.map((verb) => [metadata.name, verb, of] as const)),
  );
  expect(rights.length).toBeGreaterThan(8);
  for (const [, verb, of] of rights)
    expect(JSON.stringify([verb, of])).not.toMatch(/\*|secrets|configmaps|escalate|bind/);
  // Writing is for these alone; e2e/metrics-auth.test.ts holds each right against what is asked of an API server.
  const writing = rights.filter(([, verb]) => !["get", "list", "watch"].includes(verb));
  expect(
    writing.map(([role, verb, { resources }]) => `${role}: ${verb} ${(resources ?? []).join()}`),
  ).toEqual([
    "northgate: patch adminnetworkpolicies/status,baselineadminnetworkpolicies/status,clusternetworkpolicies/status",
    "northgate: patch clustergroups/status,clusternetworkpolicies/status,groups/status,networkpolicies/status",
    "northgate-events: create events",
    "northgate-metrics-auth: create tokenreviews",
    "northgate-metrics-auth: create subjectaccessreviews",
  ]);
});

test("the image has no shell: its last stage is a distroless one, runs nothing and starts Node itself, as no root", () => {
  const stages = readFileSync(join(manifests, "../Dockerfile"), "utf8").split(/^FROM /m);
  const last = stages.at(-1) ?? "";
  expect(last).toMatch(/^gcr\.io\/distroless\/nodejs24-debian12:nonroot\n/);
  expect(last).not.toMatch(/^(RUN|SHELL|ADD) /m);
  expect(last).toMatch(/^USER 65532:65532$/m);
  expect(last).toMatch(/^ENTRYPOINT \["\/nodejs\/bin\/node", /m);
  expect(last).not.toMatch(/^(CMD|ENTRYPOINT) [^[]/m);
});
