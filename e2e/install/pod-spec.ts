// A pod's template as the API server has it, and what a kubelet would make of one of its containers: arguments and environment
// of a process, with the paths of its mounts where the files really are on this machine. Refuses what it does not know, so
// that nothing of a template is passed over unseen.

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
}

export interface Probe {
  readonly httpGet?: {
    readonly path: string;
    readonly port: string;
    readonly host?: string;
    readonly scheme: string;
  };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

export interface PodSpec {
  readonly serviceAccountName: string;
  readonly hostNetwork?: boolean;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly hostPath?: { readonly path: string };
    readonly secret?: { readonly secretName: string; readonly optional?: boolean };
  }[];
}

/** What a pod has of the machine it is on. */
export interface Place {
  readonly node: string;
  /** Where a path of the node is on this machine. */
  hostPath(path: string): string;
  /** A folder with the Secret's files. */
  secret(name: string): string;
}

export interface Invocation {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** `program` stands for the image's entry point. Metrics take a free port: all pods are on one machine here. */
export function invocation(
  container: Container,
  spec: PodSpec,
  place: Place,
  program: readonly string[],
): Invocation {
  const mounts = (container.volumeMounts ?? []).map(({ name, mountPath }) => {
    const volume = spec.volumes?.find((one) => one.name === name);
    if (volume?.hostPath !== undefined) return [mountPath, place.hostPath(volume.hostPath.path)] as const;
    if (volume?.secret !== undefined) return [mountPath, place.secret(volume.secret.secretName)] as const;
    throw new Error(`${container.name}: nobody knows the volume ${name}`);
  });
  const here = (text: string) =>
    mounts.reduce((said, [from, to]) => said.replaceAll(`${from}/`, `${to}/`), text);
  const env = Object.fromEntries(
    (container.env ?? []).map((variable) => [variable.name, here(valueOf(variable, place))]),
  );
  const address = env["NORTHGATE_METRICS_BIND_ADDRESS"];
  if (address !== undefined) env["NORTHGATE_METRICS_BIND_ADDRESS"] = address.replace(/:9476$/, ":0");
  const command = container.command ?? program;
  return { command: [...command, ...(container.args ?? [])], env };
}

function valueOf({ name, value, valueFrom }: EnvVar, { node }: Place): string {
  if (value !== undefined) return value;
  if (valueFrom?.fieldRef?.fieldPath === "spec.nodeName") return node;
  throw new Error(`${name}: nobody knows where its value is from`);
}
