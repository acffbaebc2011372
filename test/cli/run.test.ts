// `northgate run` as a user runs it, on a real Northbound database: edits followed, signals, settings, endpoints.

import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import { openNorthbound } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { clearRows } from "../support/ports.ts";
import type { Running } from "../support/program.ts";
import { northgate, northgateIn, startNorthgate } from "../support/program.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";

describe("settings", () => {
  test.each([
    [["run"], "--nb is needed"],
    [["run", "--source=dir:x"], "--nb is needed"],
    [["run", "--source=file", "--nb=unix:x"], '--source: "file"'],
    [["run", "--source=dir:x", "--nb=http://x"], "--nb"],
    [["run", "--source=dir:x", "--nb=ssl:h:1"], "--nb-private-key"],
    [["run", "--source=dir:x", "--nb=unix:x", "--ip-families=ipv6,ipv6"], "--ip-families"],
    [["run", "--source=dir:x", "--nb=unix:x", "--metrics-bind-address=1"], "--metrics-bind-address"],
    [["run", "--source=dir:x", "--nb=unix:x", "--log-level=loud"], "--log-level"],
    [["run", "--source=dir:x", "--nb=unix:x", "--named-ports=set"], "--named-ports"],
    [["run", "--source=dir:x", "--nb=unix:x", "--anp-priorities=none"], "--anp-priorities"],
    [["run", "--source=dir:x", "--nb=unix:x", "--address-sets=selector"], "--address-sets"],
    [["run", "--source=dir:x", "--nb=unix:x", "--trace-endpoint=collector:4318"], "--trace-endpoint"],
    [
      ["run", "--source=dir:x", "--nb=unix:x", "--trace-endpoint=http://u:p@c/v1/traces"],
      "a user or a password",
    ],
    [["run", "--config=/none.yaml"], "--config /none.yaml"],
  ])("%j ends with 2 and names the first bad value", (args, named) => {
    const { code, stderr } = northgate(...args);
    expect(stderr).toContain(named);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(code).toBe(2);
  });

  test.each([
    [{ NORTHGATE_LOG_LVL: "debug" }, "NORTHGATE_LOG_LVL: no such setting; did you mean NORTHGATE_LOG_LEVEL"],
    [
      { NORTHGATE_ALLOW_EMPTY: "true" },
      "NORTHGATE_ALLOW_EMPTY: --allow-empty is taken from the command line",
    ],
  ])("%j ends run with 2; the other commands pass it over", (environment, named) => {
    const { code, stderr } = northgateIn(environment, "run", "--source=dir:/none", "--nb=unix:/none");
    expect(stderr).toContain(named);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(code).toBe(2);
    expect(northgateIn(environment, "render", "-f", "examples/cluster-control").code).toBe(0);
  });

  test("a source that is not there ends with 1", () => {
    const { code, stderr } = northgate(
      "run",
      "--source=dir:/none",
      "--nb=unix:/none",
      "--metrics-bind-address=off",
    );
    expect(stderr).toContain("/none");
    expect(stderr).not.toMatch(/^ +at /m);
    expect(code).toBe(1);
  });
});

await describeWithOvn("northgate run on a real database", () => {
  let ovn: Ovn;
  let folder: string;
  let running: Running | null = null;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    // Without one, nothing that is written would be enforced.
    await ovn.nbctl("ls-add", "sw");
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ng-run-"));
    cpSync("examples/cluster-control", folder, { recursive: true });
  });
  afterEach(async () => {
    await running?.end("SIGKILL");
    rmSync(folder, { recursive: true });
  });

  const rendered = (...flags: readonly string[]): Tables => {
    const tables = JSON.parse(northgate("render", "-f", folder, "-o", "json", ...flags).stdout) as Tables;
    // No ports exist in this database.
    return { ...tables, Port_Group: tables.Port_Group.map((row) => ({ ...row, ports: [] })) };
  };
  const inDatabase = async (): Promise<Tables> => {
    const session = openNorthbound(ovn.nb);
    await session.opened();
    const tables = actualTables(session.cache);
    await session.close();
    return tables;
  };
  const converged = async (...flags: readonly string[]): Promise<void> => {
    const wanted = rendered(...flags);
    await eventually(async () => {
      expect(await inDatabase()).toEqual(wanted);
    });
  };
  const address = async (): Promise<string> => {
    let found: unknown;
    await eventually(() => {
      found = running?.log().find((line) => line["message"] === "metrics are served")?.["address"];
      expect(found).toBeDefined();
    });
    return String(found);
  };

  test("posts a span for a pass with the commit in it, and goes on where the collector takes none", async () => {
    const posted: string[] = [];
    const statuses = [200, 503];
    const collector = createServer((request, response) => {
      void text(request).then((body) => {
        posted.push(body);
        response.writeHead(statuses.shift() ?? 503).end();
      });
    }).listen(0, "127.0.0.1");
    await once(collector, "listening");
    const { port } = collector.address() as AddressInfo;
    running = startNorthgate([
      ...[`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=off"],
      `--trace-endpoint=http://127.0.0.1:${port}/v1/traces`,
    ]);
    await converged();
    await eventually(() => {
      expect(posted.join("\n")).toContain('"commit"');
    });
    expect(posted[0]).toMatch(/"service\.name".*"northgate"/);
    collector.closeAllConnections();
    collector.close();
    rmSync(join(folder, "policies", "cluster-control.yaml"));
    await converged();
    expect(await running.end("SIGTERM")).toBe(0);
  });

  test("follows edits, keeps rows through broken ones, and ends with 0 on SIGTERM, leaving the rows", async () => {
    const environment = { NORTHGATE_NB: ovn.nb, NORTHGATE_METRICS_BIND_ADDRESS: "127.0.0.1:0" };
    running = startNorthgate([`--source=dir:${folder}`], environment);
    await converged();

    const policy = join(folder, "policies", "cluster-control.yaml");
    const text = readFileSync(policy, "utf8");
    writeFileSync(policy, text.replace("port: 7564", "port: 7565").replace("priority: 34", "priority: 35"));
    await converged();
    expect((await inDatabase()).ACL.map((acl) => acl.priority)).toContain(26500);

    const before = await inDatabase();
    writeFileSync(policy, `${text}- {half: saved`);
    await eventually(() => {
      expect(JSON.stringify(running?.log())).toContain("an object was refused");
    });
    expect(await inDatabase()).toEqual(before);

    rmSync(policy);
    await converged();
    expect((await inDatabase()).Port_Group).toHaveLength(1);

    const left = await inDatabase();
    expect(await running.end("SIGTERM")).toBe(0);
    expect(await inDatabase()).toEqual(left);
  });

  test("a policy that is staged loses its rows, and has them again when it is not", async () => {
    const environment = { NORTHGATE_NB: ovn.nb, NORTHGATE_METRICS_BIND_ADDRESS: "off" };
    running = startNorthgate([`--source=dir:${folder}`], environment);
    await converged();
    const all = await inDatabase();
    const policy = join(folder, "policies", "cluster-control.yaml");
    const text = readFileSync(policy, "utf8");
    const annotated = text.replace(
      "metadata:\n",
      'metadata:\n  annotations:\n    northgate.io/staged: "true"\n',
    );
    expect(annotated).not.toBe(text);
    writeFileSync(policy, annotated);
    await converged();
    const staged = await inDatabase();
    expect(staged.Port_Group).toHaveLength(1);
    expect(staged.ACL.length).toBeLessThan(all.ACL.length);
    await eventually(() => {
      expect(running?.log().map((line) => line["message"])).toContain("a policy is staged, and not in force");
    });
    writeFileSync(policy, text);
    await eventually(async () => {
      expect(await inDatabase()).toEqual(all);
    });
    expect(await running.end("SIGTERM")).toBe(0);
  });

  test("takes the form of named ports from a file, an environment variable or a flag", async () => {
    const common = [`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=off"];
    const config = join(folder, ".config.yaml");
    writeFileSync(config, "named-ports: sets\n");
    running = startNorthgate([...common, `--config=${config}`]);
    await converged("--named-ports=sets");
    await running.end("SIGTERM");
    running = startNorthgate(common);
    await converged();
    await running.end("SIGTERM");
    running = startNorthgate(common, { NORTHGATE_NAMED_PORTS: "sets" });
    await converged("--named-ports=sets");
    await running.end("SIGTERM");
    running = startNorthgate([...common, "--named-ports=list"], { NORTHGATE_NAMED_PORTS: "sets" });
    await converged();
  });

  test("serves health, readiness and metrics that say what is so", async () => {
    running = startNorthgate([
      `--source=dir:${folder}`,
      `--nb=${ovn.nb}`,
      "--metrics-bind-address=127.0.0.1:0",
    ]);
    const http = await address();
    await eventually(async () => {
      expect(await (await fetch(`${http}/readyz`)).text()).toBe("ok\n");
    });
    expect((await fetch(`${http}/healthz`)).status).toBe(200);
    const metrics = await (await fetch(`${http}/metrics`)).text();
    expect(metrics).toContain("ovnkube_controller_admin_network_policies 1");
    expect(metrics).toContain('ovnkube_controller_admin_network_policies_db_objects{table_name="ACL"} 12');
    expect(metrics).toContain(
      'ovnkube_controller_admin_network_policies_rules{direction="Egress",action="Pass"} 1',
    );
    expect(metrics).toContain(
      'ovnkube_controller_baseline_admin_network_policies_rules{direction="Ingress",action="Deny"} 1',
    );
    expect((await fetch(`${http}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${http}/metrics`, { method: "POST" })).status).toBe(405);

    await ovn.killNb();
    await eventually(async () => {
      const ready = await fetch(`${http}/readyz`);
      expect(ready.status).toBe(503);
      expect(await ready.text()).toContain("Northbound database");
    });
    // A restart would not bring the database back.
    const health = await fetch(`${http}/healthz`);
    expect([health.status, await health.text()]).toEqual([200, "ok\n"]);
    await ovn.restartNb();
    await eventually(async () => {
      expect((await fetch(`${http}/readyz`)).status).toBe(200);
    });
    expect(await running.end("SIGINT")).toBe(0);
  });

  describe("rows that are written and enforced by nobody", () => {
    const start = async (...flags: readonly string[]) => {
      const bind = "--metrics-bind-address=127.0.0.1:0";
      running = startNorthgate([`--source=dir:${folder}`, `--nb=${ovn.nb}`, bind, ...flags]);
      return { program: running, http: await address() };
    };
    const readiness = async (http: string): Promise<readonly [number, string]> => {
      const answer = await fetch(`${http}/readyz`);
      return [answer.status, await answer.text()];
    };
    const count = async (http: string, reason: string): Promise<string | undefined> => {
      const text = await (await fetch(`${http}/metrics`)).text();
      return new RegExp(`^northgate_policies_not_in_force\\{reason="${reason}"\\} (\\d+)$`, "m").exec(
        text,
      )?.[1];
    };
    const inForce = (program: Running) =>
      program.log().filter(({ message }) => message === "a policy is in force");

    test("a zone that no Node has: not ready, and reported with the reason until a Node has it", async () => {
      await clearRows(ovn);
      const { program, http } = await start("--zone=node-x");
      const line = '--zone is "node-x", and no Node has that name: nothing is written';
      await eventually(async () => {
        expect(await readiness(http)).toEqual([503, expect.stringContaining(line)]);
      });
      expect([await count(http, "NoNodeOfZone"), inForce(program)]).toEqual(["2", []]);
      const told = program.log().filter(({ reason }) => reason === "NoNodeOfZone");
      expect(told.map(({ level, policy }) => [level, policy]).sort()).toEqual([
        ["warn", "AdminNetworkPolicy/cluster-control"],
        ["warn", "BaselineAdminNetworkPolicy/default"],
      ]);
      writeFileSync(join(folder, "node.yaml"), "apiVersion: v1\nkind: Node\nmetadata: {name: node-x}\n");
      await eventually(async () => {
        expect(await readiness(http)).toEqual([200, "ok\n"]);
        expect([await count(http, "NoNodeOfZone"), inForce(program).length]).toEqual(["0", 2]);
      });
    });

    test("a database without a switch, and one of another zone", async () => {
      await ovn.nbctl("ls-del", "sw");
      try {
        const { program, http } = await start();
        await eventually(async () => {
          expect(await readiness(http)).toEqual([
            200,
            "ok\nno policy is enforced: the Northbound database has no logical switch\n",
          ]);
        });
        expect([await count(http, "NoNetwork"), inForce(program)]).toEqual(["2", []]);
        await ovn.nbctl("ls-add", "sw");
        await eventually(async () => {
          expect(await readiness(http)).toEqual([200, "ok\n"]);
          expect([await count(http, "NoNetwork"), inForce(program).length]).toEqual(["0", 2]);
        });
      } finally {
        await ovn.nbctl("--may-exist", "ls-add", "sw");
      }
    });
  });

  test("a start over a file that cannot be read takes nothing out of force", async () => {
    running = startNorthgate([
      `--source=dir:${folder}`,
      `--nb=${ovn.nb}`,
      "--metrics-bind-address=127.0.0.1:0",
    ]);
    await converged();
    const before = await inDatabase();
    await running.end();
    const policy = join(folder, "policies", "cluster-control.yaml");
    const text = readFileSync(policy, "utf8");
    writeFileSync(policy, `${text}- {half: saved`);
    running = startNorthgate([
      `--source=dir:${folder}`,
      `--nb=${ovn.nb}`,
      "--metrics-bind-address=127.0.0.1:0",
    ]);
    const http = await address();
    await eventually(async () => {
      expect((await fetch(`${http}/readyz`)).status).toBe(200);
    });
    expect(await inDatabase()).toEqual(before);
    writeFileSync(policy, text.replace("port: 7564", "port: 7565"));
    await converged();
    expect(await running.end()).toBe(0);
  });

  describe("a start over an empty directory", () => {
    let before: Tables;
    let empty: string;
    const start = (...flags: readonly string[]) => {
      const bind = "--metrics-bind-address=127.0.0.1:0";
      running = startNorthgate([`--source=dir:${empty}`, `--nb=${ovn.nb}`, bind, ...flags]);
      return running;
    };
    const readiness = async (http: string): Promise<readonly [number, string]> => {
      const answer = await fetch(`${http}/readyz`);
      return [answer.status, await answer.text()];
    };

    beforeEach(async () => {
      running = startNorthgate([`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=off"]);
      await converged();
      before = await inDatabase();
      expect(before.ACL).toHaveLength(14);
      await running.end();
      empty = join(folder, "mount");
      mkdirSync(empty);
    });

    test("takes nothing out of force, says so, and goes on when there are objects", async () => {
      const program = start();
      const http = await address();
      await eventually(async () => {
        expect(await readiness(http)).toEqual([
          503,
          "the source has no Namespace, Pod, Node or policy, and rows of Northgate exist: " +
            "nothing is written until it has one (--allow-empty removes them)\n" +
            "the first reconciliation is not done\n",
        ]);
      });
      expect((await fetch(`${http}/healthz`)).status).toBe(200);
      const warnings = () => program.log().filter(({ level }) => level === "warn");
      expect(warnings()).toMatchObject([
        { message: "the source is empty but rows exist: nothing is written until it has an object" },
      ]);
      const metrics = await (await fetch(`${http}/metrics`)).text();
      expect(metrics).toMatch(/^northgate_nb_transactions_total(\{[^}]*\})? 0$/m);
      expect(await inDatabase()).toEqual(before);

      // At once, as a volume is mounted.
      cpSync("examples/cluster-control", join(empty, ".staged"), { recursive: true });
      renameSync(join(empty, ".staged"), join(empty, "cluster"));
      await eventually(async () => {
        expect(await readiness(http)).toEqual([200, "ok\n"]);
      });
      expect(await inDatabase()).toEqual(before);
      rmSync(join(empty, "cluster"), { recursive: true });
      await eventually(async () => {
        expect((await inDatabase()).ACL).toEqual([]);
      });
      expect(await readiness(http)).toEqual([200, "ok\n"]);
      expect(warnings()).toHaveLength(1);
    });

    test("removes the rows when told that it is meant", async () => {
      start("--allow-empty");
      await eventually(async () => {
        expect((await inDatabase()).ACL).toEqual([]);
      });
    });
  });

  test("starts before the database does", async () => {
    await ovn.killNb();
    running = startNorthgate([
      `--source=dir:${folder}`,
      `--nb=${ovn.nb}`,
      "--metrics-bind-address=127.0.0.1:0",
    ]);
    const http = await address();
    expect((await fetch(`${http}/readyz`)).status).toBe(503);
    expect((await fetch(`${http}/healthz`)).status).toBe(200);
    await ovn.restartNb();
    await converged();
    expect(await running.end()).toBe(0);
  });
});
