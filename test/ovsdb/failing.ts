// Sessions whose connections fail when they are told to: on the fake, and through a proxy on a real ovsdb-server.

import type { DatabaseDescription } from "../../src/ovsdb/notation/description.ts";
import { openSession } from "../../src/ovsdb/index.ts";
import type { Monitors, SocketSession } from "../../src/ovsdb/index.ts";
import type { FakeDatabase, FakeSession } from "./fake.ts";
import { Proxy } from "./proxy.ts";
import { Server, stopAll } from "./real-server.ts";

export function failingFakes<D extends DatabaseDescription>(database: FakeDatabase<D>) {
  const sessions = new Set<FakeSession<D>>();
  return {
    open: (monitors: Monitors<D>): FakeSession<D> => {
      const session = database.open(monitors);
      sessions.add(session);
      return session;
    },
    cut: () => {
      for (const session of sessions) session.cut();
    },
    restore: () => {
      for (const session of sessions) session.restore();
    },
    loseNextAnswer: () => {
      for (const session of sessions) session.loseNextAnswer();
    },
  };
}

/** A server of its own. Its `direct` sessions never fail; the others go through the proxy. */
export async function failingServer() {
  const server = new Server();
  const proxy = new Proxy(server.file("sock"), server.file("proxy"));
  await proxy.listen();
  const retry = { initialMs: 2, maxMs: 20 };
  const opener =
    (remotes: string) =>
    <D extends DatabaseDescription>(database: D, monitors: Monitors<D>): SocketSession<D> =>
      openSession({ remotes, database, monitors, retry });
  return {
    direct: opener(server.remote),
    open: opener(proxy.remote),
    cut: () => proxy.cut(),
    restore: () => proxy.listen(),
    loseNextAnswer: () => {
      proxy.loseAnswers();
    },
    stop: async () => {
      await proxy.cut();
      stopAll();
    },
  };
}
