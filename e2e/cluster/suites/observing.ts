// `kubectl northgate observe` on nodes with kubelets: it asks programs in the pods of other nodes through a real API server and a real
// kubelet, with the rights of the user alone, and what it has started there ends with it. A stand-in answers for the switch of a node.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readFlowsFile } from "../../../src/observe/record/record.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { patience } from "../../../test/support/patience.ts";
import { started } from "../../../test/support/started.ts";
import { asShipped } from "../../conformance/northgate.ts";
import type { Cluster } from "../cluster.ts";

const slow = patience(240_000);
const waitMs = 60_000;
const nodes = ["node-1", "node-2"];
const label = "northgate-observe-node";

/** A reader that has seen one packet, and says how many watch it. */
const reader = `
const [{ createServer }, { NODE }] = [require("node:net"), process.env];
let watchers = 0;
const end = (ip, name) => ({ ip, pod: { namespace: "shop", name } });
const event = { time: new Date().toISOString(), verdict: "dropped", connection: "new",
  from: end("10.0.0.1", NODE), to: end("10.0.0.2", "db"), protocol: "tcp", sourcePort: 40000, port: 5432,
  icmp: null, isReply: false, rule: null, number: 1 };
createServer((socket) => {
  console.log("watchers", ++watchers);
  socket.on("error", () => undefined);
  socket.on("close", () => console.log("watchers", --watchers));
  socket.once("data", (text) => {
    socket.write(JSON.stringify({ event }) + "\\n");
    if (!JSON.parse(text).follow) socket.end();
  });
}).listen("/var/run/northgate/observe.sock");
`;

function readerPod(node: string): object {
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name: `reader-${node}`, labels: { "app.kubernetes.io/name": label } },
    spec: {
      ...{ nodeName: node, terminationGracePeriodSeconds: 1 },
      containers: [
        {
          ...{ name: "observe-node", image: "docker.io/library/northgate:0.1.0", imagePullPolicy: "Never" },
          ...{ command: ["/nodejs/bin/node", "-e", reader], env: [{ name: "NODE", value: node }] },
          volumeMounts: [{ name: "watch", mountPath: "/var/run/northgate" }],
        },
      ],
      volumes: [{ name: "watch", emptyDir: {} }],
    },
  };
}

export function testObserving(cluster: () => Pick<Cluster, "plane">): void {
  const kubectl = (args: readonly string[], input?: object) =>
    cluster().plane.kubectl(args, {
      timeoutMs: patience(120_000),
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
    });
  const observe = (kubeconfig: string, ...args: readonly string[]) => {
    const own = ["kubectl", "observe", "--reader-namespace=default", `--kubeconfig=${kubeconfig}`];
    const path = [dirname(cluster().plane.assets.programs.kubectl), process.env["PATH"]].join(delimiter);
    return started([...asShipped, ...own, ...args], { PATH: path });
  };

  beforeAll(async () => {
    for (const node of nodes) await kubectl(["apply", "-f", "-"], readerPod(node));
    await kubectl([
      "wait",
      "--for=condition=Ready",
      "pod",
      "-l",
      `app.kubernetes.io/name=${label}`,
      "--timeout=60s",
    ]);
  }, slow);
  afterAll(async () => {
    await kubectl(["delete", "pod", "-l", `app.kubernetes.io/name=${label}`, "--wait=true"]);
  }, slow);

  test(
    "it shows what the readers of all nodes have seen",
    async () => {
      const { texts, ended } = observe(cluster().plane.kubeconfig);
      expect([await ended, texts.error]).toEqual([0, ""]);
      expect(texts.out.trim().split("\n").sort()).toEqual(
        nodes.map((node) => expect.stringMatching(`^\\S+ ${node} dropped +shop/${node} → shop/db tcp 5432 `)),
      );
    },
    slow,
  );

  test(
    "a record is of all nodes",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "ng-record-"));
      try {
        const file = join(folder, "flows.json");
        const { texts, ended } = observe(cluster().plane.kubeconfig, `--record=${file}`);
        expect([await ended, texts.out]).toEqual([0, ""]);
        const { nodes: answered, connections } = readFlowsFile(file);
        expect(answered).toEqual(nodes);
        expect(connections.map(({ from, to }) => [from.pod?.name, to.pod?.name]).sort()).toEqual(
          nodes.map((node) => [node, "db"]),
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    slow,
  );

  test(
    "a user who may not start programs in the pods is refused by the API server, for each node",
    async () => {
      const kubeconfig = await cluster().plane.user({ name: "looker", groups: ["lookers"] });
      await kubectl(["create", "clusterrole", "looker", "--verb=get,list", "--resource=pods"]);
      await kubectl(["create", "clusterrolebinding", "looker", "--clusterrole=looker", "--group=lookers"]);
      const { texts, ended } = observe(kubeconfig);
      expect([await ended, texts.out]).toEqual([1, ""]);
      for (const node of nodes)
        expect(texts.error).toMatch(
          new RegExp(
            `node ${node}: .*pods "reader-${node}" is forbidden: User "looker" cannot \\S+ resource "pods/exec"`,
          ),
        );
    },
    slow,
  );

  test(
    "what it has started in the pods ends with it, however it ends",
    async () => {
      const watchers = async () =>
        Promise.all(
          nodes.map(async (node) => (await kubectl(["logs", `reader-${node}`])).trim().split("\n").at(-1)),
        );
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        const { child, texts, ended } = observe(cluster().plane.kubeconfig, "--follow", "--since=1h");
        await eventually(() => {
          expect(texts.out.trim().split("\n")).toHaveLength(nodes.length);
        }, waitMs);
        expect(await watchers()).toEqual(nodes.map(() => "watchers 1"));
        child.kill(signal);
        await ended;
        await eventually(async () => {
          expect(await watchers()).toEqual(nodes.map(() => "watchers 0"));
        }, waitMs);
      }
    },
    slow,
  );
}
