// The Pods of Northgate as the API server has them: how they are started, what they have logged in the last hour, and what they serve as
// metrics. Of their environment only our own variables are read.

import type { KubeApi } from "../kube/index.ts";
import { failureOf, getText, listPods } from "../kube/index.ts";
import { Field, Problems } from "../model/reader.ts";
import type { BundleFile, PartContent } from "./part.ts";

/** The last hour. */
const logSeconds = 3600;
/** Of one container. */
const logBytes = 4 * 1024 * 1024;
/** The last ones: the API server cuts at `logBytes` from the first of them. */
const logLines = 20_000;
/** Instances whose logs and metrics are read: a DaemonSet may have thousands. */
export const mostInstances = 20;
const usualPort = 9476;

export interface Instance {
  readonly namespace: string;
  readonly name: string;
  readonly node: string | null;
  readonly phase: string;
  readonly containers: readonly Container[];
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  /** Those whose names begin with NORTHGATE_, and have a value in the Pod. */
  readonly env: Readonly<Record<string, string>>;
  readonly restarts: number;
  /** Of the metrics. */
  readonly port: number;
}

/** Throws a Failure. */
export async function instancesIn(api: KubeApi, namespace: string): Promise<readonly Instance[]> {
  const pods = await listPods(api, namespace, "app.kubernetes.io/name=northgate");
  return pods.map((pod) => instanceOf(new Field(new Problems(), "", pod), namespace));
}

function instanceOf(pod: Field, namespace: string): Instance {
  const restarts = new Map(
    [...pod.at("status").at("containerStatuses").items()].map((one) => [
      textAt(one, "name"),
      one.at("restartCount").raw,
    ]),
  );
  return {
    ...{ namespace, name: textAt(pod.at("metadata"), "name"), phase: textAt(pod.at("status"), "phase") },
    node: textAt(pod.at("spec"), "nodeName") || null,
    containers: [...pod.at("spec").at("containers").items()].map((container) => {
      const name = textAt(container, "name");
      const args = [...container.at("command").items(), ...container.at("args").items()].map(({ raw }) =>
        String(raw),
      );
      const port = [...container.at("ports").items()]
        .find((one) => one.at("name").raw === "metrics")
        ?.at("containerPort").raw;
      return {
        ...{ name, image: textAt(container, "image"), args, env: ownVariables(container.at("env")) },
        restarts: Number(restarts.get(name) ?? 0),
        port: typeof port === "number" ? port : usualPort,
      };
    }),
  };
}

function ownVariables(list: Field): Readonly<Record<string, string>> {
  const variables = [...list.items()].map((one) => [textAt(one, "name"), textAt(one, "value")] as const);
  return Object.fromEntries(variables.filter(([name]) => name.startsWith("NORTHGATE_")));
}

function textAt(field: Field, name: string): string {
  const { raw } = field.at(name);
  return typeof raw === "string" ? raw : "";
}

type Read = (path: string, query?: Readonly<Record<string, string>>) => Promise<string>;

/** Reads what each instance has, and says what cannot be read. */
async function ofEach(
  api: KubeApi,
  instances: readonly Instance[],
  read: (instance: Instance, container: Container, get: Read) => Promise<readonly BundleFile[]>,
): Promise<PartContent> {
  const files: BundleFile[] = [];
  const unread: string[] = [];
  const get: Read = (path, query) => getText(api, path, query);
  const asked = instances
    .slice(0, mostInstances)
    .flatMap((instance) => instance.containers.map((container) => ({ instance, container })));
  for (const { instance, container } of asked)
    try {
      files.push(...(await read(instance, container, get)));
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      unread.push(`${instance.namespace}/${instance.name} ${container.name}: ${failure.message}`);
    }
  if (instances.length > mostInstances)
    unread.push(`${instances.length - mostInstances} instances are left out: ${mostInstances} are read`);
  if (instances.length === 0) unread.push("no Pod of Northgate was found");
  return { files, unread };
}

/** Of the last hour, and of a container that was restarted in it, what it logged before. */
export function logsOf(api: KubeApi, instances: readonly Instance[]): Promise<PartContent> {
  return ofEach(api, instances, async ({ namespace, name }, container, get) => {
    const query = {
      container: container.name,
      ...{ sinceSeconds: String(logSeconds), tailLines: String(logLines), limitBytes: String(logBytes) },
    };
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log`;
    const file = (suffix: string, content: string) => ({
      name: fileName("logs", `${name}_${container.name}${suffix}.log`),
      content,
    });
    const now = file("", await get(path, query));
    if (container.restarts === 0) return [now];
    return [now, file("_before", await get(path, { ...query, previous: "true" }))];
  });
}

/** As they are now, by the API server's proxy. */
export function proxiedMetricsOf(api: KubeApi, instances: readonly Instance[]): Promise<PartContent> {
  return ofEach(api, instances, async ({ namespace, name }, { name: container, port }, get) => {
    const pod = `${encodeURIComponent(name)}:${port}`;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${pod}/proxy/metrics`;
    return [{ name: fileName("metrics", `${name}_${container}.txt`), content: await get(path) }];
  });
}

/** Short enough for an archive; long names keep their end, which tells them apart. */
export function fileName(folder: string, name: string): string {
  return `${folder}/${name.replaceAll(/[^\w.-]/g, "_").slice(-80)}`;
}
