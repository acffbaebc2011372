// What policies do not do on this OVN, and what they do from when on, shown with packets: connections that were established
// before a deny, host-network pods, and verdicts that change. docs/correctness.md tells people the same.

import { describe, expect, test } from "@jest/globals";
import type { PodFact } from "../../src/model/facts.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import type { WorldObject } from "../../src/model/object.ts";
import {
  externalMac,
  externalPort,
  externalSwitch,
  gatewayMacOf,
  portOf,
} from "../../tools/sandbox/topology.ts";
import { headersOf } from "../../tools/sandbox/trace.ts";
import { ip, namespace, node, pod } from "../support/facts.ts";
import { describeWithDataplane } from "../support/ovn.ts";
import { anp, podsWith } from "../support/policies.ts";
import { frameOf } from "./frames.ts";
import { Stage } from "./stage.ts";
import { sent as frameSent, Talk } from "./talk.ts";

const nodeAddress = ip("172.18.0.1");
const client = pod("a", "client", { node: "node-1", ips: ["10.0.0.16"], labels: { app: "client" } });
const server = pod("a", "server", { node: "node-1", ips: ["10.0.0.17"], labels: { app: "server" } });
const far = pod("a", "far", { node: "node-2", ips: ["10.0.1.18"], labels: { app: "far" } });
const host = pod("a", "host", {
  node: "node-1",
  ips: [nodeAddress],
  hostNetwork: true,
  labels: { app: "host" },
});
const facts: readonly WorldObject[] = [
  namespace("a"),
  node("node-1", {}, [nodeAddress]),
  node("node-2", {}, ["172.18.0.2"]),
  ...[client, server, far, host],
];
const everyPod = { namespaces: {} };
const denyIngress = { ingress: [{ action: "Deny", from: [everyPod] }] };
const denyEgress = { egress: [{ action: "Deny", to: [everyPod] }] };

await describeWithDataplane("what the rows do not do", () => {
  const stage = new Stage(facts);
  const policies = (...objects: readonly WorldObject[]) => stage.policies(...objects);

  const sent = (port: string, frame: Buffer) => frameSent(stage.dataplane.wire, port, frame);

  let nextPort = 40_000;
  const connects = (from: PodFact, to: PodFact) =>
    new Talk(stage.dataplane.wire, from, to, nextPort++).says(["syn"]);

  /** A connection of the client to the server, past its handshake, and what either end says next on it. */
  async function establish(from: PodFact, to: PodFact) {
    const talk = new Talk(stage.dataplane.wire, from, to, nextPort++);
    expect(await talk.shaken()).toEqual([true, true, true, true, true]);
    return {
      says: () => talk.says(["psh", "ack"], "more"),
      answers: () => talk.answers(["psh", "ack"], "yes"),
    };
  }

  const other = anp("other", { priority: 90, ingress: [{ action: "Allow", from: [everyPod] }] });

  describe.each([
    ["on one node", server],
    ["on another node", far],
  ])("a connection from before the deny, %s", (_, to) => {
    // The first packet marks the connection as blocked and is lost. What comes next, of a connection so marked, finds no ACL
    // in tier 0 and is let through, and takes the mark away.
    test("loses every other packet, and so goes on", async () => {
      await policies(other);
      const connection = await establish(client, to);
      await policies(other, anp("deny", denyIngress));
      expect(await connects(client, to)).toBe(false);
      expect(await times(6, connection.says)).toEqual([false, true, false, true, false, true]);
      expect(await connection.answers()).toBe(true);
      expect(await connection.says()).toBe(false);
      // While it is marked, the other end is not heard either.
      expect(await connection.answers()).toBe(false);
      expect(await connects(client, to)).toBe(false);
    });

    // Where no ACL is, connections are not tracked: their next packet is a new connection.
    test("ends, when there was no policy before", async () => {
      await policies();
      const connection = await establish(client, to);
      await policies(anp("deny", denyIngress));
      expect(await times(6, connection.says)).toEqual(new Array(6).fill(false));
    });
  });

  test("a new verdict holds for new connections at once, both ways", async () => {
    for (let round = 0; round < 3; round++) {
      await policies(anp("deny", denyIngress));
      expect(await connects(client, server)).toBe(false);
      expect(await connects(client, far)).toBe(false);
      await policies();
      expect(await connects(client, server)).toBe(true);
      expect(await connects(client, far)).toBe(true);
    }
  });

  const fromHost = (to: PodFact) => {
    const [destination] = to.ips;
    if (destination === undefined) throw new Error("no address");
    const frame = frameOf({
      sourceMac: externalMac,
      destinationMac: gatewayMacOf(externalSwitch),
      source: nodeAddress,
      destination,
      protocol: "tcp",
      sourcePort: nextPort++,
      port: 80,
    });
    return sent(externalPort, frame);
  };
  const toHost = (from: PodFact, address: IpAddress) => {
    const { source, destination, sourceMac, destinationMac } = headersOf({
      from,
      to: { ip: address },
      protocol: "tcp",
    });
    const ends = { source, destination, sourceMac, destinationMac, sourcePort: nextPort++, port: 80 };
    return sent(portOf(from), frameOf({ ...ends, protocol: "tcp" }));
  };

  test("a host-network pod is no pod peer: a rule about all pods is not about it", async () => {
    await policies(anp("deny", { ...denyIngress, ...denyEgress }));
    expect(await connects(client, server)).toBe(false);
    expect(await fromHost(server)).toEqual([portOf(server)]);
    expect(await toHost(client, nodeAddress)).toEqual([externalPort]);
  });

  test("a host-network pod is no subject: it has no port", async () => {
    const subject = podsWith({}, { app: "host" });
    await policies(anp("host", { subject, ...denyIngress, ...denyEgress }));
    expect(await stage.cluster.ovn.nbctl("lsp-list", "node-1")).not.toContain(portOf(host));
    expect(await fromHost(server)).toEqual([portOf(server)]);
    expect(await toHost(client, nodeAddress)).toEqual([externalPort]);
    // The same with a subject that has one.
    await policies(
      anp("client", {
        subject: podsWith({}, { app: "client" }),
        egress: [{ action: "Deny", to: [{ networks: ["172.18.0.0/16"] }] }],
      }),
    );
    expect(await toHost(client, nodeAddress)).toEqual([]);
  });
});

async function times<T>(count: number, act: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  while (results.length < count) results.push(await act());
  return results;
}
