// The metrics of `northgate run`: a client that sends requests and reads no answer while there is an edit to follow on a real
// Northbound database, and a certificate that cannot be used.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { newAuthority } from "../kube/certificates.ts";
import { actualTables } from "../support/actual-tables.ts";
import { openNorthbound } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { northgate, startNorthgate } from "../support/program.ts";

await describeWithOvn("northgate run with a client of its metrics that does not read", () => {
  test("follows an edit meanwhile, and lets the client go", async () => {
    const ovn = await startOvn({ northd: false });
    const folder = mkdtempSync(join(tmpdir(), "ng-metrics-"));
    cpSync("examples/cluster-control", folder, { recursive: true });
    const bind = "--metrics-bind-address=127.0.0.1:0";
    const running = startNorthgate([`--source=dir:${folder}`, `--nb=${ovn.nb}`, bind]);
    const session = openNorthbound(ovn.nb);
    await session.opened();
    try {
      const acls = () => actualTables(session.cache).ACL;
      await eventually(() => {
        expect(acls()).toHaveLength(14);
      });
      const said = running.log().find(({ message }) => message === "metrics are served");
      const client = connect(Number(new URL(String(said?.["address"])).port), "127.0.0.1");
      client.on("error", () => undefined).pause();
      const get = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
      client.write(get.repeat(Math.ceil(1_700_000 / get.length)));
      await new Promise((resolve) => setTimeout(resolve, 100));

      const edited = join(folder, "policies", "cluster-control.yaml");
      writeFileSync(edited, readFileSync(edited, "utf8").replace("port: 7564", "port: 7565"));
      const begun = performance.now();
      await eventually(() => {
        expect(acls().some(({ match }) => match.includes("7565"))).toBe(true);
      }, 60_000);
      // 0.6 s of it pass until the file is believed, and 3 s are the most that any client may cost.
      expect(performance.now() - begun).toBeLessThan(patience(4_000));
      client.resume();
      await eventually(() => {
        expect(client.closed).toBe(true);
      }, 15_000);
      expect(await running.end()).toBe(0);
    } finally {
      await running.end("SIGKILL");
      await session.close();
      await ovn.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

describe("the certificate of the metrics server", () => {
  const common = ["run", "--nb=unix:/none", "--metrics-bind-address=127.0.0.1:0"];
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ng-metrics-tls-"));
    const { certificate, key } = newAuthority().serving(-60_000);
    writeFileSync(join(folder, "expired.crt"), certificate);
    writeFileSync(join(folder, "expired.key"), key);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["expired", "expired.crt", "expired.key", /^northgate: --metrics-cert \S+: expired on \S+\n$/],
    ["missing", "none.crt", "expired.key", /^northgate: --metrics-cert \S+: ENOENT: [^\n]+\n$/],
  ])("that is %s ends the program with 1 and one line", (_, certificate, key, line) => {
    const files = [`--metrics-cert=${join(folder, certificate)}`, `--metrics-key=${join(folder, key)}`];
    const { code, stderr } = northgate(...common, `--source=dir:${folder}`, ...files);
    const said = stderr.split("\n").filter((text) => !text.includes("Northgate starts"));
    expect(said.join("\n")).toMatch(line);
    expect(code).toBe(1);
  });

  test("without its key is wrong usage", () => {
    const { code, stderr } = northgate(...common, `--source=dir:${folder}`, "--metrics-cert=x");
    expect(stderr).toBe("northgate: --metrics-cert: --metrics-cert and --metrics-key are needed together\n");
    expect(code).toBe(2);
  });
});
