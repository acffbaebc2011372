// The way from the network namespaces of nodes to the API server, or another server, of this machine, which listens on 127.0.0.1 alone: the same port of
// 127.0.0.1 in each of them, so that one kubeconfig is right everywhere.

import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { joined } from "./joined.ts";
import type { NamespaceProcess } from "../../test/support/netns.ts";

const forward = fileURLToPath(new URL("forward.ts", import.meta.url));

export class ApiDoor {
  readonly #server: Server;
  readonly #doors: readonly NamespaceProcess[];

  private constructor(server: Server, doors: readonly NamespaceProcess[]) {
    this.#server = server;
    this.#doors = doors;
  }

  /** `url`: of the server; `name`: of its socket in the folder. */
  static async open(
    dir: string,
    url: string,
    nodes: readonly NamespaceProcess[],
    name = "api",
  ): Promise<ApiDoor> {
    const { port } = new URL(url);
    const socket = join(dir, `${name}.sock`);
    const server = createServer((inner) => {
      joined(inner, connect(Number(port), "127.0.0.1"));
    });
    await new Promise<void>((done) => server.listen(socket, done));
    const doors = await Promise.all(
      nodes.map((node) => node.inside([process.execPath, forward, port, socket])),
    );
    return new ApiDoor(server, doors);
  }

  async close(): Promise<void> {
    await Promise.all(this.#doors.map((door) => door.end()));
    this.#server.close();
  }
}
