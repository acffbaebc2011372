// The program on a database without tiers of ACLs: it names the column, writes nothing, and goes on to try. `OLD_NB_SCHEMA` names a file
// with the schema; without it the schema is that of the tests' OVN without the column.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { adminPolicy, namespace } from "../../test/kube/objects.ts";
import { newFolder, northboundSchema, Server, stopAll } from "../../test/ovsdb/real-server.ts";
import { eventually } from "../../test/support/eventually.ts";
import { describeWithOvn } from "../../test/support/ovn.ts";
import { patience } from "../../test/support/patience.ts";
import { startNorthgate } from "../../test/support/program.ts";

afterAll(stopAll);

function oldSchema(): ReturnType<typeof northboundSchema> {
  const file = process.env["OLD_NB_SCHEMA"];
  const schema =
    file === undefined
      ? northboundSchema()
      : (JSON.parse(readFileSync(file, "utf8")) as ReturnType<typeof northboundSchema>);
  if (file === undefined) delete schema.tables["ACL"]?.columns["tier"];
  return schema;
}

await describeWithOvn("a database whose ACLs have no tiers", () => {
  test(
    "the column is named, nothing is written, and the program goes on",
    async () => {
      const server = new Server({ schema: oldSchema() });
      // It gets longer with every transaction.
      const database = () => readFileSync(server.file("db"), "utf8");
      const before = database();
      const folder = join(newFolder(), "manifests");
      mkdirSync(folder);
      const items = [
        namespace("a"),
        adminPolicy("first", {
          ...{ priority: 1, subject: { namespaces: {} } },
          ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
        }),
      ];
      writeFileSync(join(folder, "objects.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
      const args = [`--source=dir:${folder}`, `--nb=${server.remote}`, "--metrics-bind-address=127.0.0.1:0"];
      const program = startNorthgate(args);
      const refusals = () =>
        program
          .log()
          .filter(({ reason }) => /^OVN_Northbound [\d.]+ has no column ACL\.tier$/.test(String(reason)));
      await eventually(() => {
        if (refusals().length < 3) throw new Error(program.text());
      }, patience(20_000));
      expect(program.child.exitCode).toBeNull();
      expect(await program.end()).toBe(0);
      expect(database()).toBe(before);
    },
    patience(60_000),
  );
});
