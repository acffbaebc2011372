// The contract of a session, held by the fake and by the socket session on a real ovsdb-server.

import { describe, test } from "@jest/globals";
import { openSession } from "../../src/ovsdb/index.ts";
import { FakeDatabase, type FakeSession } from "./fake.ts";
import { type Northbound, northbound, northboundRules } from "./northbound.ts";
import { Proxy } from "./proxy.ts";
import { ovn, Server, stopAll } from "./real-server.ts";
import { sessionContract, type Subject } from "./session.contract.ts";

sessionContract(
  "the fake session",
  (): Subject => {
    const database = new FakeDatabase(northbound, northboundRules);
    const other = database.open({});
    const open = new Set<FakeSession<Northbound>>();
    return {
      other,
      open: (monitors) => {
        const session = database.open(monitors);
        open.add(session);
        return session;
      },
      cut: () => {
        for (const session of open) session.cut();
      },
      restore: () => {
        for (const session of open) session.restore();
      },
      loseNextAnswer: () => {
        for (const session of open) session.loseNextAnswer();
      },
      dispose: () => other.close(),
    };
  },
  { "named reference to nothing": "the fake is stricter: a planner that forgets an insert shall be seen" },
);

if (ovn === null) {
  describe.skip("the socket session on ovsdb-server", () => {
    test.todo("needs ovsdb-server");
  });
} else {
  sessionContract("the socket session on ovsdb-server", async (): Promise<Subject> => {
    const server = new Server();
    const proxy = new Proxy(server.file("sock"), server.file("proxy"));
    await proxy.listen();
    const retry = { initialMs: 2, maxMs: 20 };
    const other = openSession({ remotes: server.remote, database: northbound, monitors: {}, retry });
    await other.opened();
    return {
      other,
      open: (monitors) => openSession({ remotes: proxy.remote, database: northbound, monitors, retry }),
      cut: () => proxy.cut(),
      restore: () => proxy.listen(),
      loseNextAnswer: () => {
        proxy.loseAnswers();
      },
      dispose: async () => {
        await other.close();
        await proxy.cut();
        stopAll();
      },
    };
  });
}
