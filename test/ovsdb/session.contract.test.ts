// The contract of a session, held by the fake and by the socket session on a real ovsdb-server.

import { describe, test } from "@jest/globals";
import { failingFakes, failingServer } from "./failing.ts";
import { FakeDatabase } from "./fake.ts";
import { northbound, northboundRules } from "./northbound.ts";
import { ovn } from "./real-server.ts";
import { sessionContract, type Subject } from "./session.contract.ts";

sessionContract(
  "the fake session",
  (): Subject => {
    const database = new FakeDatabase(northbound, northboundRules);
    const other = database.open({});
    return { ...failingFakes(database), other, dispose: () => other.close() };
  },
  { "named reference to nothing": "the fake is stricter: a planner that forgets an insert shall be seen" },
);

if (ovn === null) {
  describe.skip("the socket session on ovsdb-server", () => {
    test.todo("needs ovsdb-server");
  });
} else {
  sessionContract("the socket session on ovsdb-server", async (): Promise<Subject> => {
    const server = await failingServer();
    const other = server.direct(northbound, {});
    await other.opened();
    return {
      ...server,
      other,
      open: (monitors) => server.open(northbound, monitors),
      dispose: async () => {
        await other.close();
        await server.stop();
      },
    };
  });
}
