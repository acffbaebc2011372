// The stand-in for the CNI on a real NB: what it makes, that it writes nothing when nothing differs, and whose rows it leaves
// alone.

import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { NodeFact, PodFact } from "../../src/model/facts.ts";
import { keyOf, type ObjectKey, type Source } from "../../src/model/object.ts";
import { applyCni, CniStandIn } from "../../tools/sandbox/cni.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { ip, node, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";

const red = pod("red", "a", { node: "east", ips: ["10.244.1.5", "fd00:10:244:1::5"] });
const blue = pod("blue", "a", { node: "east", ips: ["10.244.1.6", "fd00:10:244:1::6"] });
const green = pod("green", "a", { node: "west", ips: ["10.244.2.5", "fd00:10:244:2::5"] });
const pods = [red, blue, green];
const nodes = [node("east"), node("west"), node("empty")];

/** NB's file is a log of transactions: a server that was told to write nothing has not made it longer. */
function written(ovn: Ovn): number {
  return statSync(join(ovn.dir, "nb.db")).size;
}

await describeWithOvn("the stand-in for the CNI", (install) => {
  let ovn: Ovn;
  beforeAll(async () => {
    ovn = await startOvn({ install, northd: false });
  });
  afterAll(() => ovn.stop());

  test("makes a switch a node and a port a pod, and then has nothing more to do", async () => {
    const offNetwork = [
      pod("red", "pending", { node: null }),
      { ...pod("red", "host", { node: "east", ips: ["192.0.2.1"] }), hostNetwork: true },
      { ...pod("red", "done", { node: "east", ips: ["10.244.1.5"] }), completed: true },
    ];
    expect(await applyCni(ovn, { pods: [...pods, ...offNetwork], nodes })).toBeGreaterThan(0);
    expect(names(await ovn.nbctl("ls-list"))).toEqual(["east", "empty", "external_network", "west"]);
    expect(names(await ovn.nbctl("lsp-list", "east"))).toEqual(["blue_a", "red_a", "stor-east"]);
    expect(await ovn.nbctl("lsp-get-addresses", "red_a")).toBe(
      "0a:58:0a:f4:01:05 10.244.1.5 fd00:10:244:1::5\n",
    );

    const before = written(ovn);
    expect(await applyCni(ovn, { pods: pods.toReversed(), nodes })).toBe(0);
    expect(written(ovn)).toBe(before);
  });

  test("keeps a port's row when its pod's address changes, and touches no row of others", async () => {
    await ovn.nbctl("ls-add", "foreign", "--", "lsp-add", "foreign", "foreign_port");
    const uuid = () => ovn.nbctl("--bare", "--columns=_uuid", "find", "logical_switch_port", "name=red_a");
    const before = await uuid();
    const moved = { ...red, ips: [ip("10.244.1.99")] };
    await applyCni(ovn, { pods: [moved, blue], nodes });
    expect(await uuid()).toBe(before);
    expect(await ovn.nbctl("lsp-get-addresses", "red_a")).toBe("0a:58:0a:f4:01:63 10.244.1.99\n");
    expect(names(await ovn.nbctl("lsp-list", "west"))).toEqual([]);

    await applyCni(ovn, { pods: [{ ...blue, node: "west" }], nodes: [] });
    expect(names(await ovn.nbctl("ls-list"))).toEqual(["external_network", "foreign", "west"]);
    expect(names(await ovn.nbctl("lsp-list", "west"))).toEqual(["blue_a", "stor-west"]);
    expect(names(await ovn.nbctl("lsp-list", "foreign"))).toEqual(["foreign_port"]);
  });

  test("gives two pods of one address a port each", async () => {
    const twin = { ...red, name: "twin" };
    await applyCni(ovn, { pods: [red, twin], nodes });
    expect(names(await ovn.nbctl("lsp-list", "east"))).toEqual(["red_a", "red_twin", "stor-east"]);
    expect(await applyCni(ovn, { pods: [twin, red], nodes })).toBe(0);
  });

  test("follows a source, many edits at a time, and nothing before it is synced", async () => {
    const objects = new Map<ObjectKey, PodFact | NodeFact>();
    const source: Source = {
      start() {},
      stop: async () => {},
      read: (key) => objects.get(key) ?? null,
      mayExist: (key) => objects.has(key),
    };
    const told: string[] = [];
    const follower = new CniStandIn(ovn, source, (sentence) => told.push(sentence));
    const put = (object: PodFact | NodeFact) => {
      const key = keyOf(object);
      objects.set(key, object);
      follower.changed(key);
      return key;
    };
    await applyCni(ovn, { pods: [], nodes: [] });
    const before = written(ovn);
    for (const object of [...nodes, red, blue]) put(object);
    await follower.settled();
    expect(written(ovn)).toBe(before);

    follower.synced();
    const key = put(green);
    await follower.settled();
    expect(names(await ovn.nbctl("lsp-list", "west"))).toEqual(["green_a", "stor-west"]);

    objects.delete(key);
    follower.changed(key);
    put({ ...blue, ips: [ip("10.244.1.77")] });
    await follower.settled();
    expect(names(await ovn.nbctl("lsp-list", "west"))).toEqual([]);
    expect(await ovn.nbctl("lsp-get-addresses", "blue_a")).toBe("0a:58:0a:f4:01:4d 10.244.1.77\n");
    expect(told).toEqual([]);
  });
});

/** The names in ovn-nbctl's "<uuid> (<name>)" lines, sorted. */
function names(printed: string): readonly string[] {
  return [...printed.matchAll(/\((.+)\)/g)].map((match) => match[1] ?? "").sort();
}
