// The fake API server with a client that leads to it, for tests that ask once and follow nothing.

import { HttpApi } from "../../src/kube/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { FakeApiServer } from "./fake-api-server.ts";

export interface FakeApi {
  readonly server: FakeApiServer;
  readonly api: HttpApi;
  /** Ends the client and the server. */
  readonly close: () => Promise<void>;
}

/** The server, which has nothing unless it is given, answers when this resolves. */
export async function openFakeApi(server = new FakeApiServer()): Promise<FakeApi> {
  const url = await server.start();
  const api = new HttpApi({
    credentials: { access: async () => ({ server: url, options: {} }), renew() {}, close() {} },
    clock: systemClock,
  });
  const close = async (): Promise<void> => {
    api.close();
    await server.stop();
  };
  return { server, api, close };
}
