// Credentials that rotate while the program runs: files rewritten, plugins run again, certificates replaced.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { newAuthority } from "../../../test/kube/certificates.ts";
import { systemClock } from "../../lib/clock.ts";
import { HttpApi } from "./http.ts";
import type { KubeconfigCredentials } from "./kubeconfig.ts";
import { openKubeconfig } from "./kubeconfig.ts";

let directory: string;
let ticks = 0;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "northgate-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Each write gets its own modification time. */
function write(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  const time = 1_000_000 + ++ticks;
  utimesSync(path, time, time);
  return path;
}

const config = (user: object, cluster: object = { server: "http://127.0.0.1:6443" }, name = "it") =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster }],
    users: [{ name, user }],
  });

const opened = (path: string | null, env: Record<string, string> = {}) => openKubeconfig({ path, env });
const authorization = async (credentials: KubeconfigCredentials) =>
  new Headers((await credentials.access()).options.headers as Record<string, string>).get("authorization");

describe("where it is looked for", () => {
  test("the file that is named, then $KUBECONFIG, then the home directory", async () => {
    const named = write("named", config({ token: "named" }));
    const env = { KUBECONFIG: write("env", config({ token: "env" })), HOME: directory };
    expect(await authorization(await opened(named, env))).toBe("Bearer named");
    expect(await authorization(await opened(null, env))).toBe("Bearer env");
    await expect(opened(null, { HOME: directory })).rejects.toThrow(
      /^no kubeconfig: neither \$KUBECONFIG nor/,
    );
  });

  test("several files are merged, the first entry of a name counts, and a missing file is passed over", async () => {
    const first = write("first", config({ token: "first" }));
    const second = write("second", config({ token: "second" }));
    const other = write("other", config({ token: "other" }, undefined, "that"));
    const env = { KUBECONFIG: [join(directory, "none"), other, first, second].join(":") };
    expect(await authorization(await opened(null, env))).toBe("Bearer other");
    expect(await authorization(await opened(null, { KUBECONFIG: `${first}:${second}` }))).toBe(
      "Bearer first",
    );
  });

  test.each([
    ['{"clusters": [', /file: .*$/],
    ["{}", /current context of the kubeconfig names no cluster$/],
    [config({}, { server: "there" }), /the server of the kubeconfig's cluster "it" is no URL$/],
  ])("%.20s is refused", async (text, message) => {
    await expect(opened(write("file", text))).rejects.toThrow(message);
  });

  test("a file that is missing is refused by name", async () => {
    await expect(opened(join(directory, "none"))).rejects.toThrow(/none: ENOENT/);
  });
});

describe("a token", () => {
  test("in the kubeconfig is read again when the file is, and stays while the file is half written", async () => {
    const path = write("config", config({ token: "old" }));
    const credentials = await opened(path);
    expect(await authorization(credentials)).toBe("Bearer old");
    write("config", '{"clusters": [');
    expect(await authorization(credentials)).toBe("Bearer old");
    write("config", config({ token: "new" }));
    expect(await authorization(credentials)).toBe("Bearer new");
  });

  test("in a file of its own is read again when the server does not accept the old one", async () => {
    write("token", "old");
    const credentials = await opened(write("config", config({ tokenFile: "token" })));
    expect(await authorization(credentials)).toBe("Bearer old");
    write("token", "new");
    credentials.renew();
    expect(await authorization(credentials)).toBe("Bearer new");
  });

  test("of a plugin is made again when the server does not accept the old one", async () => {
    const program = write(
      "plugin",
      `#!/bin/sh\necho x >>${directory}/runs\necho '{"status":{"token":"'$(wc -l <${directory}/runs)'"}}'\n`,
    );
    chmodSync(program, 0o755);
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: program };
    const credentials = await opened(write("config", config({ exec })));
    const several = await Promise.all([1, 2, 3].map(() => authorization(credentials)));
    expect(several).toEqual(["Bearer 1", "Bearer 1", "Bearer 1"]);
    credentials.renew();
    expect(await authorization(credentials)).toBe("Bearer 2");
  });
});

test("a client certificate and an authority that are replaced in their files come into use", async () => {
  let authority = newAuthority();
  const server = createServer({ requestCert: true, ca: authority.certificate, ...tls(authority.serving()) });
  server.on("request", (request, response) => {
    response.end(request.socket instanceof TLSSocket ? request.socket.getPeerCertificate().subject.CN : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const issue = (user: string) => {
    const { certificate, key } = authority.client(user, []);
    write("ca", authority.certificate);
    write("cert", certificate);
    write("key", key);
  };
  issue("first");
  const cluster = { server: `https://127.0.0.1:${port}`, "certificate-authority": "ca" };
  const user = { "client-certificate": "cert", "client-key": "key" };
  const api = new HttpApi({
    credentials: await opened(write("config", config(user, cluster))),
    clock: systemClock,
  });
  const whoami = async () => (await api.request({ method: "GET", path: "/" })).body;
  try {
    expect(await whoami()).toBe("first");
    issue("second");
    expect(await whoami()).toBe("second");
    authority = newAuthority();
    server.setSecureContext({ ca: authority.certificate, ...tls(authority.serving()) });
    issue("third");
    expect(await whoami()).toBe("third");
  } finally {
    api.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

function tls({ certificate, key }: { readonly certificate: string; readonly key: string }) {
  return { cert: certificate, key };
}
