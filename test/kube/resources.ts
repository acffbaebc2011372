// What `kubectl get -o json` and `kubectl apply` do, over plain requests: to start kubectl takes a tenth of a second of processor
// time, and tests ask for the same objects hundreds of times. Names of kinds are those of the API server's discovery, as kubectl
// takes them: "anp", "pods", "tiers.crd.antrea.io". Refuses a name that discovery lacks, in kubectl's words.

import { setTimeout as sleep } from "node:timers/promises";
import { patience } from "../support/patience.ts";
import { type ApiClient, ApiError, type KubernetesObject } from "./api.ts";

/** A kind of objects, as discovery has it. */
interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  /** Lower-case, in the plural. */
  readonly plural: string;
  /** "": the core group. */
  readonly group: string;
  readonly shortNames: readonly string[];
  readonly isNamespaced: boolean;
}

/** The parts of an APIGroupDiscoveryList that are looked at; groups and versions in the order of their preference. */
interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind: { readonly kind: string };
        readonly scope: "Namespaced" | "Cluster";
        readonly singularResource: string;
        readonly shortNames?: readonly string[];
      }[];
    }[];
  }[];
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const known = new WeakMap<ApiClient, readonly Resource[]>();

async function discovered(api: ApiClient): Promise<readonly Resource[]> {
  const lists = await Promise.all(
    ["/api", "/apis"].map((path) => api.json("GET", path, { accept: aggregated }) as Promise<Discovery>),
  );
  const found = lists
    .flatMap(({ items }) => items)
    .flatMap(({ metadata: { name: group = "" }, versions }) =>
      versions.flatMap(({ version, resources = [] }) =>
        resources.map(({ resource, responseKind, scope, singularResource, shortNames = [] }) => ({
          apiVersion: group === "" ? version : `${group}/${version}`,
          kind: responseKind.kind,
          plural: resource,
          ...{ group, shortNames: [singularResource, ...shortNames], isNamespaced: scope === "Namespaced" },
        })),
      ),
    );
  known.set(api, found);
  return found;
}

const againMs = 1_000;

/** Asks again where the server says "later", as when it reads its storage anew; so does kubectl. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isLater = error instanceof ApiError && error.status === 429;
      if (!isLater || performance.now() - begun > patience(10_000)) throw error;
      await sleep(againMs);
    }
  }
}

/** Of those known from before, then of those served now: definitions come and go. */
async function resource(api: ApiClient, name: string, isIt: (one: Resource) => boolean): Promise<Resource> {
  const found = known.get(api)?.find(isIt) ?? (await discovered(api)).find(isIt);
  if (found === undefined) throw new Error(`the server doesn't have a resource type "${name}"`);
  return found;
}

function named(api: ApiClient, name: string): Promise<Resource> {
  return resource(
    api,
    name,
    ({ plural, group, shortNames }) =>
      name === plural || name === `${plural}.${group}` || shortNames.includes(name),
  );
}

/** Where its objects are: of all namespaces, unless one is given. */
function collection({ apiVersion, plural, isNamespaced }: Resource, namespace?: string): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return isNamespaced && namespace !== undefined
    ? `${root}/namespaces/${namespace}/${plural}`
    : `${root}/${plural}`;
}

interface Where {
  /** All, unless given. */
  readonly namespace?: string;
  readonly fieldSelector?: string;
}

/** `kubectl get KINDS -A -o json`: the objects of each kind in turn. */
export async function listed(
  api: ApiClient,
  kinds: string,
  { namespace, fieldSelector }: Where = {},
): Promise<readonly KubernetesObject[]> {
  const selector = fieldSelector === undefined ? "" : `?fieldSelector=${encodeURIComponent(fieldSelector)}`;
  const lists = await Promise.all(
    kinds.split(",").map(async (name) => {
      const one = await named(api, name);
      const path = `${collection(one, namespace)}${selector}`;
      const { items } = (await patiently(() => api.json("GET", path))) as {
        readonly items: readonly KubernetesObject[];
      };
      // The objects in a list of a built-in kind do not say what they are.
      return items.map((item) => ({ ...item, apiVersion: one.apiVersion, kind: one.kind }));
    }),
  );
  return lists.flat();
}

/** `kubectl get KIND/NAME -o json`. */
export async function got(api: ApiClient, what: string, namespace = "default"): Promise<KubernetesObject> {
  const [kind = "", name = ""] = what.split("/");
  const path = `${collection(await named(api, kind), namespace)}/${name}`;
  return patiently(() => api.object("GET", path));
}

/** `kubectl apply --server-side`, of one object, without its status: refuses fields that its kind lacks. */
export async function applied(api: ApiClient, object: KubernetesObject): Promise<KubernetesObject> {
  const { apiVersion, kind, metadata } = object;
  const isIt = (one: Resource) => one.apiVersion === apiVersion && one.kind === kind;
  const one = await resource(api, `${kind} of ${apiVersion}`, isIt);
  const path = `${collection(one, metadata.namespace ?? "default")}/${metadata.name}`;
  const settings = "fieldManager=tests&force=true&fieldValidation=Strict";
  const body = { ...object, status: undefined };
  const type = "application/apply-patch+yaml";
  return patiently(() => api.object("PATCH", `${path}?${settings}`, { body, type }));
}
