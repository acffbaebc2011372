// The playground of `make up`: what a start that fails leaves behind, at every stage, what an end keeps, and that with an
// API server an applied policy changes packets.

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { PlaygroundOptions, Stage } from "../../scripts/support/playground.ts";
import { Playground } from "../../scripts/support/playground.ts";
import { policies, references } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import type { PodFact } from "../../src/model/facts.ts";
import { isPod } from "../../src/model/object.ts";
import { openOvn } from "../../tools/sandbox/ovn.ts";
import { openTracer } from "../../tools/sandbox/trace.ts";
import { findControlPlane } from "../kube/control-plane.ts";
import { kubectl } from "../kube/kubectl.ts";
import { adminPolicy } from "../kube/objects.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { mainFile } from "../support/main-file.ts";

const slow = patience(120_000);

/** Pids of processes whose arguments name the folder. */
function processesOf(dir: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${dir}/`);
    } catch {
      return false; // It has ended.
    }
  });
}

test("a port of its metrics that is none is refused before anything starts", () => {
  const script = fileURLToPath(new URL("../../scripts/playground.ts", import.meta.url));
  const env = { ...process.env, NODE_OPTIONS: "", METRICS_PORT: "70000" };
  const { status, stderr } = spawnSync(process.execPath, [script, "up"], { env, encoding: "utf8" });
  expect(stderr).toBe("make up: METRICS_PORT=70000: not a whole number from 1 to 65535\n");
  expect(status).toBe(1);
});

await describeWithOvn("the playground", () => {
  let home: string;
  let dir: string;
  let playground: Playground | null = null;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "ng-play-"));
    dir = join(home, "sandbox");
  });
  afterEach(async () => {
    await playground?.down();
    playground = null;
    rmSync(home, { recursive: true });
  }, slow);

  const one = (more: Partial<PlaygroundOptions> = {}) =>
    (playground = new Playground({ dir, kube: false, metricsPort: 0, program: mainFile, ...more }));
  const failingAt = (stage: Stage, more: Partial<PlaygroundOptions> = {}) =>
    one({
      ...more,
      done: (reached) => {
        if (reached === stage) throw new Error(`it fails at ${reached}`);
      },
    });
  /** A command of a process that was ended may run a moment longer. */
  const noProcesses = () =>
    eventually(() => {
      expect(processesOf(dir)).toEqual([]);
    });
  const expectNothingLeft = async () => {
    expect(existsSync(dir)).toBe(false);
    await noProcesses();
  };

  test.each(["manifests", "ovn", "ports", "northgate"] as const)(
    "leaves nothing behind when a start fails at: %s",
    async (stage) => {
      await expect(failingAt(stage).up()).rejects.toThrow(`it fails at ${stage}`);
      await expectNothingLeft();
    },
    slow,
  );

  test(
    "leaves the user's files and what ran before as they were, and says why it failed",
    async () => {
      const policy = join(dir, "manifests", "mine.yaml");
      mkdirSync(join(dir, "manifests"), { recursive: true });
      writeFileSync(policy, "# mine\n");
      // A program that ends at once is the real failure.
      const broken = one({ program: join(home, "none.ts") });
      await expect(broken.up()).rejects.toThrow("northgate run did not become ready");
      expect([readdirSync(dir), readFileSync(policy, "utf8")]).toEqual([["manifests"], "# mine\n"]);
      await noProcesses();
      await one().up();
      const pids = playground?.pids();
      await expect(failingAt("northgate").up()).rejects.toThrow("it fails at northgate");
      expect([pids?.size, playground?.pids()]).toEqual([5, pids]);
      await expect(one({ kube: true }).up()).rejects.toThrow("it runs without an API server");
      expect(playground?.pids()).toEqual(pids);
      expect(await one().down()).toBe(true);
      expect(readdirSync(dir)).toEqual(["manifests"]);
      await noProcesses();
      rmSync(dir, { recursive: true });
    },
    slow,
  );

  const assets = findControlPlane();
  describe("with an API server", () => {
    test(
      "leaves nothing behind when it fails, follows what is applied, and goes without a trace",
      async () => {
        const found = await assets;
        if (typeof found === "string") {
          if (process.env["CI"] === "true") throw new Error(found);
          process.stderr.write(`SKIPPED: ${found}\n`);
          return;
        }
        for (const stage of ["api server", "objects"] as const) {
          await expect(failingAt(stage, { kube: true }).up()).rejects.toThrow(`it fails at ${stage}`);
          await expectNothingLeft();
        }
        const { kubeconfig } = one({ kube: true });
        await playground?.up();
        expect([...(playground?.pids().keys() ?? [])].toSorted()).toEqual(playground?.names().toSorted());
        const where = { program: found.programs.kubectl, home: dir, kubeconfig };
        await eventually(async () => {
          expect(await kubectl(where, ["get", "anp"])).toMatch(
            /^cluster-control\s+34\s+True\s+SetupSucceeded/m,
          );
        }, 30_000);
        const ovn = await openOvn({ dir });
        const { objects } = loadManifests([join(dir, "manifests")], policies, references);
        const podOf = (namespace: string): PodFact => {
          const pod = objects.filter(isPod).find((one) => one.namespace === namespace);
          if (pod === undefined) throw new Error(`no pod of ${namespace}`);
          return pod;
        };
        const [from, to] = [podOf("ingress-nginx"), podOf("open")];
        const verdict = async () => {
          await ovn.sync();
          const tracer = await openTracer(ovn);
          const said = await tracer.verdict({ from, to, protocol: "tcp", port: 80 });
          await tracer.close();
          return said.verdict;
        };
        expect(await verdict()).toBe("allow");
        const everybody = [{ action: "Deny", from: [{ namespaces: {} }] }];
        const subject = { namespaces: { matchLabels: { "kubernetes.io/metadata.name": "open" } } };
        const closed = adminPolicy("closed", { priority: 1, subject, ingress: everybody });
        await kubectl(where, ["apply", "-f", "-"], { input: JSON.stringify(closed) });
        await eventually(async () => {
          expect(await verdict()).toBe("drop");
        }, 30_000);
        expect(await playground?.down()).toBe(false);
        await expectNothingLeft();
      },
      slow,
    );
  });
});
