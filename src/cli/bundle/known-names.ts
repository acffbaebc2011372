// The names of an installation, to be replaced: of every namespace, node, pod, service and policy, with their labels and whatever policies
// name; of the machine and the servers of this command; and of objects that only a log or a row still names.

import { hostname } from "node:os";
import type { BundleFile } from "../../bundle/part.ts";
import type { Names } from "../../bundle/names.ts";
import type { BundleConfig } from "../../config/answers/doctor.ts";
import { installed } from "../../dialects.ts";
import type { KubeApi } from "../../kube/index.ts";
import { eachObject, servingOf } from "../../kube/index.ts";
import type { ObjectKind } from "../../model/object.ts";
import { Field, Problems } from "../../model/reader.ts";

const core = { group: "", version: "v1" };
const facts: readonly (readonly [sort: string, kind: Pick<ObjectKind, "group" | "version" | "resource">])[] =
  [
    ["namespace", { ...core, resource: "namespaces" }],
    ["node", { ...core, resource: "nodes" }],
    ["pod", { ...core, resource: "pods" }],
    ["service", { ...core, resource: "services" }],
  ];

/** Of the cluster. Throws a Failure: names that are not known cannot be replaced. */
export async function learnCluster(names: Names, api: KubeApi, config: BundleConfig): Promise<void> {
  for (const [sort, kind] of facts)
    await eachObject(api, kind, (object) => {
      learnObject(names, sort, object);
    });
  for (const kind of [...installed(config.kinds).policies, ...installed(config.kinds).references])
    for (const as of await servedAs(api, kind))
      await eachObject(api, as, (object) => {
        learnObject(names, "policy", object);
        learnSpec(names, new Field(new Problems(), "", object).at("spec").raw);
      });
}

async function servedAs(api: KubeApi, kind: ObjectKind): Promise<readonly ObjectKind[]> {
  const serving = await servingOf(api, kind);
  return "as" in serving ? [serving.as] : [];
}

function learnObject(names: Names, sort: string, object: unknown): void {
  const metadata = new Field(new Problems(), "", object).at("metadata");
  names.learnStrings(sort, metadata.at("name").raw);
  names.learnStrings("namespace", metadata.at("namespace").raw);
  learnLabels(names, metadata.at("labels").raw);
  const owners = metadata.at("ownerReferences").items();
  for (const owner of owners) names.learnStrings("workload", owner.at("name").raw);
}

function learnLabels(names: Names, labels: unknown): void {
  if (typeof labels !== "object" || labels === null) return;
  for (const [key, value] of Object.entries(labels)) {
    names.learn("key", key);
    names.learnStrings("label", value);
  }
}

/** Whatever a policy says, and the keys of its selectors. */
function learnSpec(names: Names, spec: unknown): void {
  names.learnStrings("name", spec);
  if (typeof spec !== "object" || spec === null) return;
  for (const [field, inner] of Object.entries(spec)) {
    if (field === "matchLabels") learnLabels(names, inner);
    else learnSpec(names, inner);
  }
}

/** Of this machine, and of the servers that are named. */
export function learnSurroundings(names: Names, config: BundleConfig, server: string | null): void {
  names.learn("host", hostname());
  names.learn("user", process.env["USER"] ?? "");
  const { instances, zone } = config;
  if (zone !== null) names.learn("node", zone);
  const urls = [...(server === null ? [] : [server]), ...instances.map(String)];
  for (const url of urls) names.learn("host", new URL(url).hostname);
}

/** Fields of log lines, and of rows, whose values are names: of objects that may exist no more. */
const naming =
  /^(policy|policies|which|unit|object|pod|node|namespace|zone|writer|k8s\.ovn\.org\/(name|owner\w*))$/;

/** Host names in remotes, in URLs, and of registries. */
const hosts = [
  /\b(?:tcp|ssl):([a-z][\w.-]*):\d/gi,
  /:\/\/(?:[^\s/"@]*@)?([a-z][\w.-]*)/gi,
  /"image":"([\w-]+\.[\w.-]+)[:/]/g,
];

export function learnFiles(names: Names, files: readonly BundleFile[]): void {
  for (const { content } of files) {
    const text = typeof content === "object" ? JSON.stringify(content) : content;
    for (const form of hosts) for (const [, host = ""] of text.matchAll(form)) names.learn("host", host);
    if (typeof content === "object") learnNaming(names, content);
    else for (const line of content.split("\n")) learnLine(names, line);
  }
}

function learnLine(names: Names, line: string): void {
  if (line.startsWith("{")) learnNaming(names, parsed(line));
  for (const [, field = "", value = ""] of line.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\[[^\]]*\])/g))
    learnNaming(names, { [field]: parsed(value) });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function learnNaming(names: Names, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [field, inner] of Object.entries(value)) {
    if (naming.test(field)) for (const text of [inner].flat()) learnWords(names, text);
    learnNaming(names, inner);
  }
}

/** `AdminNetworkPolicy shop/web` and `ANP:web:Ingress:0`: names are what is no kind, no direction and no number. */
function learnWords(names: Names, text: unknown): void {
  if (typeof text !== "string") return;
  for (const word of text.split(/[^\w.-]+/)) if (!/^([A-Z]\w*|\d*)$/.test(word)) names.learn("name", word);
}
