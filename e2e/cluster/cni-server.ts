// The other end of the CNI plugin (programs/cni): gives a sandbox of a node its addresses, asks the pod network for its interface, and
// answers as the CNI specification wants it (0.4.0). One for each node: a sandbox is known by its path in the node's mount namespace.

import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import type { NodeSpec } from "../conformance/nodes.ts";
import type { Attachment } from "../conformance/network-requests.ts";
import { textOf } from "../conformance/network-requests.ts";
import { PodAddresses } from "./pod-addresses.ts";

/** As programs/cni sends it. */
interface CniRequest {
  readonly command: string;
  readonly containerId: string;
  /** Absolute, in the node's mount namespace. */
  readonly netns: string;
  readonly ifname: string;
  /** `K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web-0;…` */
  readonly args: string;
}

export interface CniNode {
  readonly spec: NodeSpec;
  /** The first process of the node's PID namespace: its files are the node's. */
  readonly pid: () => number;
}

const cniVersion = "0.4.0";

export class CniServer {
  readonly #node: CniNode;
  readonly #network: string;
  readonly #addresses: PodAddresses;
  readonly #attached = new Map<string, Attachment>();
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response);
  });

  /** `network`: the socket of the pod network (../conformance/network-requests.ts). */
  constructor(node: CniNode, network: string) {
    this.#node = node;
    this.#network = network;
    this.#addresses = new PodAddresses(node.spec.podCIDRs);
  }

  listen(socket: string): Promise<void> {
    return new Promise((done) => this.#server.listen(socket, done));
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => {
      this.#server.close(() => {
        done();
      });
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const asked = JSON.parse(await textOf(request)) as CniRequest;
      response.end(JSON.stringify(await this.#answer(asked)));
    } catch (error) {
      response.statusCode = 500;
      response.end(error instanceof Error ? error.message : String(error));
    }
  }

  async #answer(asked: CniRequest): Promise<object> {
    switch (asked.command) {
      case "ADD":
        return this.#add(asked);
      case "DEL":
        await this.#remove(asked.containerId);
        return {};
      case "CHECK":
        if (!this.#attached.has(asked.containerId)) throw new Error(`${asked.containerId} has no interface`);
        return {};
      default:
        throw new Error(`CNI_COMMAND is ${asked.command}`);
    }
  }

  async #add({ containerId, netns, ifname, args }: CniRequest): Promise<object> {
    const { namespace, name } = podIn(args);
    const { spec, pid } = this.#node;
    const ips = this.#addresses.give(containerId);
    const inside = `/proc/${pid()}/root${netns}`;
    const attachment: Attachment = { namespace, name, node: spec.name, ips, netns: inside };
    this.#attached.set(containerId, attachment);
    await ask(this.#network, "PUT", attachment);
    return {
      cniVersion,
      interfaces: [{ name: ifname, sandbox: netns }],
      ips: ips.map((ip) => ({
        ...(ip.includes(":") ? { version: "6", address: `${ip}/64` } : { version: "4", address: `${ip}/24` }),
        interface: 0,
      })),
    };
  }

  /** A sandbox that was never added, or is removed already, is none: a runtime asks again and again. */
  async #remove(sandbox: string): Promise<void> {
    const attachment = this.#attached.get(sandbox);
    if (attachment === undefined) return;
    // A pod of the same name may stand already, in another sandbox, and then the port is that one's.
    const isLast = [...this.#attached].every(
      ([other, { namespace, name }]) =>
        other === sandbox || namespace !== attachment.namespace || name !== attachment.name,
    );
    if (isLast) await ask(this.#network, "DELETE", attachment);
    this.#attached.delete(sandbox);
    this.#addresses.takeBack(sandbox);
  }
}

function podIn(args: string): { readonly namespace: string; readonly name: string } {
  const values = new Map(
    args.split(";").map((one): [string, string] => {
      const [key = "", value = ""] = one.split("=", 2);
      return [key, value];
    }),
  );
  const namespace = values.get("K8S_POD_NAMESPACE");
  const name = values.get("K8S_POD_NAME");
  if (namespace === undefined || name === undefined) throw new Error(`CNI_ARGS names no pod: ${args}`);
  return { namespace, name };
}

function ask(socketPath: string, method: string, attachment: Attachment): Promise<void> {
  const body = JSON.stringify(attachment);
  // Node frames no body of a DELETE by itself.
  const headers = { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, method, path: "/pods", headers }, (response) => {
      void textOf(response).then((text) => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(text === "" ? `status ${response.statusCode ?? "none"}` : text));
      }, reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}
