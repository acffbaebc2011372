// The node agent by itself, on a real API server with controllers and a real OVN with a chassis: what it says of pods is so,
// what it runs is reachable in both families, and nothing of it outlives it. No policy program runs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pidOf } from "../tools/sandbox/daemon.ts";
import { run } from "../tools/sandbox/program.ts";
import { eventually } from "../test/support/eventually.ts";
import { patience } from "../test/support/patience.ts";
import { type Cluster, startCluster } from "./conformance/cluster.ts";
import { onOvn } from "./conformance/grounds.ts";
import { describeWithCluster } from "./conformance/describe.ts";
import { HeldCluster } from "./conformance/held-cluster.ts";
import { below, interfaces, processes, ticksNow } from "./conformance/leftovers.ts";
import { at, container, pod, Pods, server } from "./conformance/pods.ts";

const slow = patience(120_000);

await describeWithCluster("the node agent", [], () => {
  let cluster: Cluster;
  let pods: Pods;

  beforeAll(async () => {
    cluster = await startCluster({ northgate: null, families: "dual" });
    pods = new Pods(cluster.plane);
  }, slow);

  afterAll(async () => {
    const before = await interfaces();
    const own = processes().find(({ pid }) => pid === process.pid)?.namespace;
    const started = below(process.pid).filter(({ namespace }) => namespace !== own);
    expect(new Set(started.map(({ namespace }) => namespace)).size).toBeGreaterThan(4);
    const stopped = ticksNow();
    await cluster.stop();
    const held = new Set(started.map(({ namespace }) => namespace));
    expect(processes().filter(({ namespace, since }) => held.has(namespace) && since <= stopped)).toEqual([]);
    expect(processes().filter(({ command }) => command.includes(cluster.dir))).toEqual([]);
    expect(await interfaces()).toEqual(before);
  }, slow);

  test(
    "pods of two nodes reach one another in both families, by TCP, UDP and SCTP",
    async () => {
      const env = [{ name: "SERVE_SCTP_PORT_9003", value: "x" }];
      const spec = { containers: [server, container("sctp", { args: ["porter"], env })] };
      await pods.create(pod("one", spec, { app: "web" }), pod("two", spec, { app: "web" }));
      await pods.ready("one", "two");
      expect([await pods.nodeOf("one"), await pods.nodeOf("two")].sort()).toEqual(["node-1", "node-2"]);
      const ips = await pods.ips("two");
      expect(ips.map((ip) => ip.includes(":"))).toEqual([false, true]);
      for (const ip of ips) {
        await pods.connect("one", at(ip, 80));
        await pods.connect("one", at(ip, 53), "udp");
        await pods.connect("one", at(ip, 9003), "sctp");
        await expect(pods.connect("one", at(ip, 81))).rejects.toThrow("REFUSED");
      }
    },
    slow,
  );

  test("exec has the container's environment, host name, streams and exit code; logs are kept", async () => {
    const env = [
      { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      { name: "WHERE", value: "$(IP), $$(IP), $(NOWHERE)" },
    ];
    const command = ["/bin/bash", "-c", "echo begun at $(IP); exec /agnhost pause"];
    await pods.create(pod("words", { containers: [container("main", { command, env })] }));
    await pods.ready("words");
    const [ip = ""] = await pods.ips("words");
    const said = await pods.bash("words", 'echo "$WHERE, $HOSTNAME"; echo "$(< /proc/sys/kernel/hostname)"');
    expect(said).toBe(`${ip}, $(IP), $(NOWHERE), words\nwords\n`);
    await expect(pods.bash("words", "echo no >&2; exit 7")).rejects.toThrow(/no[^]*exit code 7/);
    expect(await cluster.plane.kubectl(["logs", "words"])).toContain(`begun at ${ip}`);
  });

  test("exec has a terminal where one is asked for, with its size", async () => {
    await pods.create(pod("terminal"));
    await pods.ready("terminal");
    // kubectl sends the size when the program runs already.
    const sized = "for try in {1..1200}; do (:); [[ $LINES ]] && break; read -rt 0.05; done";
    const inside = `[[ -t 0 && -t 1 && -t 2 ]] && shopt -s checkwinsize; ${sized}; echo it has $LINES by $COLUMNS; exit 7`;
    const { kubeconfig, assets } = cluster.plane;
    const kubectl = `${assets.programs.kubectl} --kubeconfig=${kubeconfig} exec -it terminal -- /bin/bash -c '${inside}'`;
    const outside = `stty rows 33 cols 77; ${kubectl}; echo and ended with $?`;
    const { stdout } = await run("script", ["-qec", outside, "/dev/null"]);
    expect(stdout).toContain("it has 33 by 77\r\n");
    expect(stdout).toContain("and ended with 7");
  });

  test(
    "a pod is as ready as its containers: one that ends makes it not ready, and is started again",
    async () => {
      await pods.create(pod("ends", { containers: [container("stays"), server] }));
      await pods.ready("ends");
      const ending = "exec 3<>/dev/tcp/127.0.0.1/80; printf 'GET /exit?code=3 HTTP/1.0\\r\\n\\r\\n' >&3";
      await pods.bash("ends", ending);
      await eventually(async () => {
        expect(await pods.isReady("ends")).toBe(false);
      });
      const { phase, containerStatuses } = await pods.status("ends");
      expect([phase, ...containerStatuses.map(({ ready }) => ready)]).toEqual(["Running", true, false]);
      expect(containerStatuses[1]?.state["terminated"]?.exitCode).toBe(3);
      await pods.ready("ends");
      const again = (await pods.status("ends")).containerStatuses.map(({ restartCount }) => restartCount);
      expect(again).toEqual([0, 1]);
    },
    slow,
  );

  test("a pod that is not to be started again ends as its containers did", async () => {
    const ending = (code: number) => ({
      restartPolicy: "Never",
      containers: [container("main", { command: ["/bin/bash", "-c", `exit ${code}`] })],
    });
    await pods.create(pod("good", ending(0)), pod("bad", ending(5)));
    await eventually(async () => {
      expect((await pods.status("good")).phase).toBe("Succeeded");
      expect((await pods.status("bad")).phase).toBe("Failed");
    });
  });

  test("what it has not, it refuses in the pod's status", async () => {
    const probe = { readinessProbe: { tcpSocket: { port: 80 } } };
    const secret = { env: [{ name: "S", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] };
    await pods.create(
      pod("volume", { volumes: [{ name: "v", emptyDir: {} }] }),
      pod("probe", { containers: [container("main", probe)] }),
      pod("stranger", { containers: [{ name: "main", image: "docker.io/library/nginx:1" }] }),
      pod("secret", { containers: [container("main", secret)] }),
    );
    await eventually(async () => {
      for (const name of ["volume", "probe", "stranger"])
        expect(await pods.status(name)).toMatchObject({ phase: "Failed", reason: "Unsupported" });
      const [main] = (await pods.status("secret")).containerStatuses;
      expect(main?.state["waiting"]?.message).toContain("only a fieldRef");
    });
    expect(await pods.isReady("secret")).toBe(false);
  });

  test(
    "pods on the host network have the node's address, and two that want one port are on two nodes",
    async () => {
      const ports = [{ containerPort: 8081 }];
      const web = container("main", { args: ["netexec", "--http-port=8081", "--udp-port=8081"], ports });
      const host = { hostNetwork: true, containers: [web] };
      await pods.create(pod("host-one", host), pod("host-two", host));
      await pods.ready("host-one", "host-two");
      const ips = [...(await pods.ips("host-one")), ...(await pods.ips("host-two"))].sort();
      expect(ips).toEqual(["172.18.0.11", "172.18.0.12", "fd00:172:18::11", "fd00:172:18::12"]);
      for (const ip of ips) await pods.connect("one", at(ip, 8081));
      for (const ip of await pods.ips("one")) await pods.connect("host-two", at(ip, 80));
      expect((await pods.bash("host-two", "echo $HOSTNAME")).trim()).toBe(await pods.nodeOf("host-two"));
    },
    slow,
  );

  test(
    "a Service's address leads to its pods, in both families",
    async () => {
      const ports = [
        { name: "http", port: 8000, targetPort: 80 },
        { name: "dns", port: 53, protocol: "UDP" },
      ];
      await pods.create(
        {
          ...{ apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "default" } },
          spec: { selector: { app: "web" }, ipFamilyPolicy: "RequireDualStack", ports },
        },
        pod("client"),
      );
      await pods.ready("client");
      const query = ["get", "service", "web", "-o", "jsonpath={.spec.clusterIPs[*]}"];
      const ips = (await cluster.plane.kubectl(query)).split(" ");
      expect(ips).toHaveLength(2);
      for (const ip of ips) {
        await eventually(() => pods.connect("client", at(ip, 8000)));
        await pods.connect("client", at(ip, 53), "udp");
      }
    },
    slow,
  );

  test(
    "a pod is ready only when the chassis has its flows",
    async () => {
      const controller = pidOf(onOvn(cluster).ovn.dir, "controller") ?? 0;
      expect(controller).toBeGreaterThan(1);
      process.kill(controller, "SIGSTOP");
      try {
        await pods.create(pod("early"));
        await eventually(async () => {
          expect(await pods.ips("early")).toHaveLength(2);
        });
        await sleep(1_000); // it would be ready by then: it was within less in every other test
        expect(await pods.isReady("early")).toBe(false);
      } finally {
        process.kill(controller, "SIGCONT");
      }
      await pods.ready("early");
    },
    slow,
  );

  test(
    "a killed agent leaves no process and no namespace; the next one brings its pods back at their addresses",
    async () => {
      const ips = await pods.ips("two");
      const specs = readFileSync(join(cluster.dir, "nodes.json"), "utf8");
      const nodes = (JSON.parse(specs) as readonly { readonly netnsPid: number }[]).map(
        (node) => node.netnsPid,
      );
      const stays = new Set(
        processes().flatMap(({ pid, namespace }) => ([...nodes, process.pid].includes(pid) ? namespace : [])),
      );
      const started = below(cluster.agent().pid);
      const held = new Set(started.map(({ namespace }) => namespace)).difference(stays);
      expect(held.size).toBeGreaterThan(5); // one a pod
      cluster.agent().signal("SIGKILL");
      await eventually(() => {
        const alive = processes();
        expect(alive.filter(({ namespace }) => held.has(namespace))).toEqual([]);
        const pids = new Set(started.map(({ pid }) => pid));
        expect(alive.filter(({ pid }) => pids.has(pid))).toEqual([]);
      });
      await cluster.restartAgent("SIGKILL");
      await eventually(async () => {
        for (const { restartCount } of (await pods.status("two")).containerStatuses)
          expect(restartCount).toBe(1);
      }, 30_000);
      await pods.ready("one", "two");
      expect(await pods.ips("two")).toEqual(ips);
      for (const ip of ips) await eventually(() => pods.connect("one", at(ip, 80)));
    },
    slow,
  );

  test("a deleted pod is gone from the network and the API", async () => {
    await pods.remove("one", "two");
    await eventually(async () => {
      const ports = await onOvn(cluster).ovn.nbctl("--bare", "--columns=name", "list", "logical_switch_port");
      expect(ports.split(/\s+/).filter((name) => /^default_(one|two)$/.test(name))).toEqual([]);
    }, 20_000);
    expect(onOvn(cluster).network.plugged.has("default_one")).toBe(false);
    await expect(pods.status("one")).rejects.toThrow("NotFound");
  });
});

await describeWithCluster("a cluster whose process is killed", [], () => {
  test(
    "leaves no process, no namespace, no interface and no folder",
    async () => {
      const held = await HeldCluster.start(fileURLToPath(new URL("conformance/hold.ts", import.meta.url)));
      // Two nodes, the router, the chassis.
      expect([held.started.length > 10, held.namespaces.size]).toEqual([true, 4]);
      held.kill();
      await eventually(async () => {
        expect(await held.left()).toEqual({ processes: [], folders: [], mounts: [], interfaces: [] });
      }, 20_000);
    },
    slow,
  );
});
