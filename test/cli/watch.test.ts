// `--watch`: one answer, another one when it changes and not otherwise, of files and of a cluster. A cluster that fails is said once, and
// gives no answer until it is followed again. Ended by SIGINT with 0.

import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { FakeApiServer } from "../support/fake-api-server.ts";
import { mainFile } from "../support/main-file.ts";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";

jest.setTimeout(patience(180_000));

let folder: string;
const children: ChildProcessByStdio<null, Readable, Readable>[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-watch-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

interface Watched {
  /** What was printed so far. */
  readonly out: () => string;
  readonly err: () => string;
  /** Sends the signal and gives the exit code. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>;
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
}

function watched(...args: readonly string[]): Watched {
  const child = spawn(process.execPath, [mainFile, ...args, "--watch"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  children.push(child);
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.err += text));
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
  });
  return {
    child,
    out: () => said.out,
    err: () => said.err,
    end: (signal = "SIGINT") => {
      child.kill(signal);
      return ended;
    },
  };
}

const lines = ({ out }: Watched) => out().split("\n").slice(0, -1);
const verdicts = (one: Watched) =>
  lines(one).map((line) => (JSON.parse(line) as { readonly verdict: string }).verdict);
const shows = (check: () => void) => eventually(check, 30_000);

describe("manifests", () => {
  const splunk = "splunk/splunk-5f8c6d9f7b-7jx2p";
  const dns = "kube-system/coredns-76f75df574-5sn7h";
  const udp = ["--protocol", "udp", "--port", "5353"];
  let policies: string;

  beforeEach(() => {
    cpSync("examples/cluster-control", folder, { recursive: true });
    policies = join(folder, "policies", "cluster-control.yaml");
  });
  const edit = (from: string, to: string) => {
    const text = readFileSync(policies, "utf8");
    expect(text).toContain(from);
    writeFileSync(policies, text.replace(from, to));
  };

  test.each(["-f", "--source"])(
    "%s: an edit without effect gives no answer, one with effect gives one",
    async (flag) => {
      const world = [flag, flag === "-f" ? folder : `dir:${folder}`];
      const ask = ["explain", "--from", splunk, "--to", dns, ...udp, ...world, "-o", "json"];
      const program = watched(...ask);
      await shows(() => {
        expect(verdicts(program)).toEqual(["deny"]);
      });
      expect(JSON.parse(program.out())).toEqual(JSON.parse(northgate(...ask).stdout));
      // Places move, and nothing else. What is wrong with a file shows that it was read again.
      edit("spec:", "# a line\nspec:");
      writeFileSync(join(folder, "broken.yaml"), "apiVersion: v1\nkind: Pod\nmetadata: {name: No_Name}\n");
      await shows(() => {
        expect(program.err()).toContain("broken.yaml");
      });
      expect(lines(program)).toHaveLength(1);
      rmSync(join(folder, "broken.yaml"));
      appendFileSync(
        join(folder, "allow.yaml"),
        JSON.stringify({
          ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy" },
          metadata: { name: "first" },
          spec: {
            priority: 1,
            subject: { namespaces: {} },
            ingress: [{ name: "all", action: "Allow", from: [{ namespaces: {} }] }],
          },
        }),
      );
      await shows(() => {
        expect(verdicts(program)).toEqual(["deny", "allow"]);
      });
      expect(await program.end()).toBe(0);
      expect(lines(program)).toHaveLength(2);
    },
  );

  test("an end that is not there yet is waited for, and said once", async () => {
    const program = watched("can", "--to", "late/pod", "-f", folder);
    await shows(() => {
      expect(program.err()).toContain("late/pod");
    });
    writeFileSync(
      join(folder, "late.yaml"),
      JSON.stringify({
        ...{ apiVersion: "v1", kind: "Pod", metadata: { namespace: "late", name: "pod" } },
        ...{ spec: { nodeName: "ovn-worker" }, status: { podIPs: [{ ip: "10.244.1.99" }] } },
      }),
    );
    await shows(() => {
      expect(program.out()).toContain("who can reach late/pod 10.244.1.99");
    });
    expect(program.err().match(/there is no pod/g)).toHaveLength(1);
    expect(await program.end("SIGTERM")).toBe(0);
  });

  test("it ends when nobody reads any more", async () => {
    const program = watched("can", "--to", dns, "-f", folder, "-o", "json");
    const ended = new Promise((resolve) => program.child.once("exit", resolve));
    await shows(() => {
      expect(lines(program)).toHaveLength(1);
    });
    program.child.stdout.destroy();
    edit('action: "Deny"', 'action: "Allow"');
    expect(await ended).toBe(0);
  });
});

describe("a cluster", () => {
  const policies = "/apis/networking.k8s.io/v1/networkpolicies";
  let server: FakeApiServer;
  let cluster: readonly string[];

  const pod = (name: string, ip: string) => ({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name, labels: { app: name } } },
    ...{ spec: { nodeName: "n", containers: [] }, status: { phase: "Running", podIPs: [{ ip }] } },
  });
  const isolating = (name: string) => ({
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { namespace: "shop", name } },
    spec: { podSelector: { matchLabels: { app: "db" } }, policyTypes: ["Ingress"] },
  });

  beforeEach(async () => {
    server = new FakeApiServer();
    const url = await server.start();
    server.put("/api/v1/namespaces", {
      ...{ apiVersion: "v1", kind: "Namespace" },
      metadata: { name: "shop", labels: { "kubernetes.io/metadata.name": "shop" } },
    });
    server.put("/api/v1/pods", pod("web", "10.0.0.1"));
    server.put("/api/v1/pods", pod("db", "10.0.0.2"));
    const kubeconfig = join(folder, "config");
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
        clusters: [{ name: "c", cluster: { server: url.href } }],
        users: [{ name: "u", user: {} }],
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      }),
    );
    cluster = ["--kubeconfig", kubeconfig];
  });
  afterEach(async () => {
    await server.stop();
  });

  const ask = [
    "explain",
    "-n",
    "shop",
    "--from",
    "pod/web",
    "--to",
    "pod/db",
    "--protocol",
    "tcp",
    "--port",
    "80",
  ];

  test("a policy gives one answer, what changes nothing gives none; the answers are explain's own", async () => {
    const program = watched(...ask, ...cluster, "-o", "json");
    await shows(() => {
      expect(verdicts(program)).toEqual(["allow"]);
    });
    server.put("/api/v1/pods", pod("other", "10.0.0.3"));
    server.put(policies, isolating("deny"));
    await shows(() => {
      expect(verdicts(program)).toEqual(["allow", "deny"]);
    });
    server.put("/api/v1/pods", pod("another", "10.0.0.4"));
    server.remove(policies, isolating("deny"));
    await shows(() => {
      expect(verdicts(program)).toEqual(["allow", "deny", "allow"]);
    });
    expect(await program.end()).toBe(0);
    expect(program.err()).toBe("");
    expect(lines(program)[0]).toBe(lines(program)[2]);
  });

  test("a cluster that fails is said once, and gives no answer until it is followed again", async () => {
    const program = watched(
      "can",
      "--to",
      "shop/db",
      "--port",
      "80",
      "--protocol",
      "tcp",
      ...cluster,
      "-o",
      "json",
    );
    await shows(() => {
      expect(lines(program)).toHaveLength(1);
    });
    server.fault = ({ collection }) => (collection === policies ? { status: 500 } : null);
    for (const stream of server.streams(policies)) stream.cut();
    await shows(() => {
      expect(program.err()).toContain("until it can there is no answer: networkpolicies");
    });
    // Seen by the program, and it would change the answer.
    server.put("/api/v1/pods", pod("web2", "10.0.0.5"));
    const asked = server.count(policies, true);
    await shows(() => {
      expect(server.count(policies, true)).toBeGreaterThan(asked + 1);
    });
    expect(lines(program)).toHaveLength(1);
    server.fault = () => null;
    await shows(() => {
      expect(lines(program)).toHaveLength(2);
    });
    expect(program.out()).toContain("web2");
    expect(program.err().match(/cannot be followed/g)).toHaveLength(1);
    expect(program.err().match(/is followed again/g)).toHaveLength(1);
    expect(await program.end()).toBe(0);
  });

  test("what may not be listed holds the answer up, and is said", async () => {
    server.fault = ({ collection }) => (collection === policies ? { status: 403 } : null);
    const program = watched(...ask, ...cluster);
    await shows(() => {
      expect(program.err()).toMatch(/cannot be followed.*networkpolicies/);
    });
    expect(program.out()).toBe("");
    server.fault = () => null;
    await shows(() => {
      expect(program.out()).toContain("ALLOW  shop/web 10.0.0.1 → shop/db 10.0.0.2  tcp 80");
    });
    expect(await program.end()).toBe(0);
  });
});

test.each<readonly [why: string, ...args: readonly string[]]>([
  ["--watch and --connections", "explain", "--connections", "x.json", "-f", "examples"],
  ["--watch and --nb", "explain", "--from", "a/b", "--to", "a/c", "--protocol", "icmp", "--nb", "file:x"],
  ["standard input is read once", "can", "--all", "-f", "-"],
  ["--watch and --kustomize", "can", "--all", "-k", "x"],
])("%s: wrong usage", (why, ...args) => {
  const { code, stderr } = northgate(...args, "--watch");
  expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
});
