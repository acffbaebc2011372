import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { ApiError } from "./api.ts";
import { createAll, patch, remove, removeAll } from "./bulk.ts";
import { findControlPlane, startControlPlane } from "./control-plane.ts";
import { installCrds, removeCrds } from "./crds.ts";
import { adminPolicy, namespace, node, pod } from "./objects.ts";
import { describeWithControlPlane } from "./support.ts";
import { patience } from "../support/patience.ts";

/** A restart of the API server on a busy machine. */
const slow = patience(60_000);
/** One that ended but was not waited for yet has no arguments. */
const isRunning = (pid: number) =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";

test("a named folder without a control plane is a reason, not a reason to look elsewhere", async () => {
  const dir = mkdtempSync(join(tmpdir(), "ng-none-"));
  expect(await findControlPlane({ KUBEBUILDER_ASSETS: dir })).toBe(
    `KUBEBUILDER_ASSETS=${dir} holds no control plane: no kube-apiserver in ${dir}`,
  );
  rmSync(dir, { recursive: true });
});

await describeWithControlPlane("a control plane", (plane) => {
  const whoami = (kubeconfig: string) =>
    plane().kubectl(["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"], { kubeconfig });

  test("takes pods with their status, many at once, and lets go of them", async () => {
    const { api } = plane();
    const spaces = ["a", "b"].map((name) => namespace(name, { name }));
    const pods = Array.from({ length: 100 }, (_, n) =>
      pod(n % 2 === 0 ? "a" : "b", `p-${n}`, {
        node: "n",
        ips: [`10.0.0.${n}`, `fd00::${n}`],
        labels: { n: `${n}` },
      }),
    );
    await createAll(api, [
      ...spaces,
      node("n", { ips: ["192.0.2.1"], podCidrs: ["10.0.0.0/24", "fd00::/64"] }),
    ]);
    const stored = await createAll(api, pods);
    expect(stored[7]).toMatchObject({
      metadata: { name: "p-7", labels: { n: "7" } },
      spec: { nodeName: "n" },
      status: { phase: "Running", podIPs: [{ ip: "10.0.0.7" }, { ip: "fd00::7" }] },
    });
    expect((await plane().kubectl(["get", "pods", "-A", "-o", "name"])).split("\n").length).toBe(101);
    await patch(api, pods[1]!, { metadata: { labels: { n: null, m: "1" } } });
    expect(await plane().kubectl(["get", "pods", "-A", "-l", "m=1", "-o", "name"])).toBe("pod/p-1\n");
    await removeAll(api, pods);
    await removeAll(api, spaces);
    expect(await plane().kubectl(["get", "pods,ns", "-A", "-o", "name"])).not.toMatch(
      /pod\/|namespace\/[ab]\n/,
    );
  });

  test("kubectl reads what it is given and says what is wrong", async () => {
    const input = JSON.stringify(namespace("given"));
    expect(await plane().kubectl(["apply", "-f", "-"], { input })).toBe("namespace/given created\n");
    await remove(plane().api, namespace("given"));
    await expect(plane().kubectl(["get", "ns", "given"])).rejects.toThrow('namespaces "given" not found');
  });

  test(
    "a user may do what RBAC says, and nothing else",
    async () => {
      const kubeconfig = await plane().user({ name: "reader", groups: ["readers"] });
      await expect(plane().kubectl(["get", "pods"], { kubeconfig })).rejects.toThrow(
        'User "reader" cannot list resource "pods"',
      );
      // "view" would be empty: no controller fills the roles that others are gathered into.
      const create = (what: string) => plane().kubectl(["create", ...what.split(" ")]);
      await create("clusterrole pods --verb=get,list --resource=pods");
      await create("clusterrolebinding readers --clusterrole=pods --group=readers");
      await eventually(async () => {
        expect(await plane().kubectl(["get", "pods", "-o", "name"], { kubeconfig })).toBe("");
      });
      await expect(plane().kubectl(["create", "ns", "x"], { kubeconfig })).rejects.toThrow("cannot create");
      await create("serviceaccount robot");
      expect(await whoami(await plane().account("default", "robot"))).toBe(
        "system:serviceaccount:default:robot",
      );
    },
    slow,
  );

  test(
    "a rotated token is refused, the new one is not",
    async () => {
      const kubeconfig = await plane().user({ name: "ci", groups: ["system:masters"], by: "token" });
      expect(await whoami(kubeconfig)).toBe("ci");
      const first = await plane().rotateToken("ci");
      const old = join(plane().dir, "old-token.kubeconfig");
      writeFileSync(
        old,
        readFileSync(kubeconfig, "utf8")
          .replaceAll("tokenFile", "token")
          .replaceAll(/"[^"]*\/ci.token"/g, `"${first}"`),
      );
      expect(await whoami(old)).toBe("ci");
      await plane().rotateToken("ci");
      expect(await whoami(kubeconfig)).toBe("ci");
      await expect(whoami(old)).rejects.toThrow(/logged in|Unauthorized/);
    },
    slow,
  );

  test(
    "a new authority is another one: who trusts only the old cannot connect",
    async () => {
      const { api } = plane();
      const old = join(plane().dir, "old-authority.kubeconfig");
      writeFileSync(old, await plane().kubectl(["config", "view", "--raw", "--flatten"]));
      const ready = (kubeconfig: string) => plane().kubectl(["get", "--raw", "/readyz"], { kubeconfig });
      await plane().rotateCertificates();
      expect(await ready(old)).toBe("ok");
      await plane().rotateCertificates("authority");
      expect(await api.text("GET", "/readyz")).toBe("ok");
      expect(await ready(plane().kubeconfig)).toBe("ok");
      await expect(ready(old)).rejects.toThrow("certificate signed by unknown authority");
    },
    slow,
  );

  test(
    "a watch from before a restart gets 410",
    async () => {
      const { api } = plane();
      const [stored] = await createAll(api, [namespace("before")]);
      const from = stored?.metadata.resourceVersion ?? "";
      await createAll(api, [namespace("after")]);
      const watch = () => api.watch(`/api/v1/namespaces?watch=1&resourceVersion=${from}&timeoutSeconds=1`);
      expect(await watch()).toMatchObject([{ type: "ADDED", object: { metadata: { name: "after" } } }]);
      expect(await plane().compact()).toBeGreaterThan(Number(from));
      await plane().restartApiServer("SIGKILL");
      expect(await watch()).toMatchObject([{ type: "ERROR", object: { code: 410 } }]);
      await removeAll(api, [namespace("before"), namespace("after")]);
    },
    slow,
  );

  test(
    "a list that spans a compaction gets 410",
    async () => {
      const { api } = plane();
      const spaces = ["c", "d", "e"].map((name) => namespace(name));
      await createAll(api, spaces);
      const page = await api.object("GET", "/api/v1/namespaces?limit=2");
      const next = "continue" in page.metadata ? String(page.metadata.continue) : "";
      await removeAll(api, spaces);
      await plane().compact();
      await plane().restartApiServer();
      const rest = api.text("GET", `/api/v1/namespaces?limit=2&continue=${encodeURIComponent(next)}`);
      await expect(rest).rejects.toMatchObject({ status: 410 });
    },
    slow,
  );

  test(
    "without etcd it is not ready, and it is again when etcd is",
    async () => {
      const { api } = plane();
      await plane().stopEtcd("SIGKILL");
      await eventually(() => expect(api.text("GET", "/readyz")).rejects.toThrow(ApiError));
      await plane().startEtcd();
      expect(await api.text("GET", "/readyz")).toBe("ok");
      expect(await plane().kubectl(["get", "ns", "default", "-o", "name"])).toBe("namespace/default\n");
    },
    slow,
  );

  test(
    "the policies come and go with their definitions",
    async () => {
      const policy = adminPolicy("p", { priority: 1, subject: { namespaces: {} } });
      await expect(createAll(plane().api, [policy])).rejects.toMatchObject({ status: 404 });
      await installCrds(plane());
      await createAll(plane().api, [policy]);
      await removeCrds(plane());
      await expect(plane().kubectl(["get", "anp"])).rejects.toThrow(`doesn't have a resource type "anp"`);
    },
    patience(240_000),
  );
});

await describeWithControlPlane("its end", (plane) => {
  test(
    "nothing is left of one with a folder of its own",
    async () => {
      const own = await startControlPlane({ assets: plane().assets });
      const pids = [...own.pids().values()];
      expect(pids.length).toBe(2);
      expect(own.log("kube-apiserver")).toContain("Version");
      await own.stop();
      expect(existsSync(own.dir)).toBe(false);
      expect(pids.filter(isRunning)).toEqual([]);
    },
    slow,
  );

  test(
    "what was stored in a given folder is there in the next one, its users too",
    async () => {
      const dir = mkdtempSync(join(tmpdir(), "ng-kept-"));
      const users = [{ name: "ci", groups: ["system:masters"], by: "token" }] as const;
      const first = await startControlPlane({ dir, assets: plane().assets, users });
      await expect(startControlPlane({ dir, assets: plane().assets })).rejects.toThrow(
        "its etcd runs already",
      );
      await createAll(first.api, [namespace("kept")]);
      await first.stop();
      expect(first.pids().size).toBe(0);
      const second = await startControlPlane({ dir, assets: plane().assets, users });
      const kubeconfig = second.kubeconfigOf("ci");
      expect(await second.kubectl(["get", "ns", "kept", "-o", "name"], { kubeconfig })).toBe(
        "namespace/kept\n",
      );
      await second.stop();
      rmSync(dir, { recursive: true });
    },
    slow,
  );

  test(
    "one that cannot start says why and leaves nothing",
    async () => {
      const failing = startControlPlane({ assets: plane().assets, apiServerArgs: ["--no-such-flag"] });
      await expect(failing).rejects.toThrow(
        /kube-apiserver: it ended with 1[^]*unknown flag: --no-such-flag/,
      );
    },
    slow,
  );
});
