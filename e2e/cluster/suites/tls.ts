// The Northbound database over TLS: the Secret of the central overlay is mounted for a user who is not root, and Northgate reads it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { makeSecretFiles } from "../../../test/ovsdb/tls-files.ts";
import { patience } from "../../../test/support/patience.ts";
import { run } from "../../../tools/sandbox/program.ts";
import type { Stage } from "../stage.ts";

const slow = patience(240_000);
const mount = "/etc/northgate/nb";
const files = ["ca.crt", "tls.crt", "tls.key"];

export function testTls(stage: () => Stage): void {
  test(
    "each replica runs as user 65532, reads the Secret's files by its group, and has no other way to the database than TLS",
    async () => {
      const { cluster, pods } = stage();
      const replicas = await pods.ready();
      expect(replicas.length).toBe(2);
      for (const { metadata, spec } of replicas) {
        const node = cluster.nodes.find(({ name }) => name === spec.nodeName);
        if (node === undefined) throw new Error(`${metadata.name} has no node`);
        const id = "jsonpath={.status.containerStatuses[0].containerID}";
        const container = await pods.kubectl("get", "pod", metadata.name, "-o", id);
        const pid = await node.taskOf(container.replace("containerd://", ""));
        const ids = await node.run("grep", "-E", "^(Uid|Gid):", `/proc/${pid}/status`);
        expect(ids.split(/\s+/).filter((word) => /^\d+$/.test(word))).toEqual(Array<string>(8).fill("65532"));
        const paths = files.map((file) => `/proc/${pid}/root${mount}/${file}`);
        expect(await node.run("stat", "-L", "-c", "%u %g %a", ...paths)).toBe("0 65532 440\n".repeat(3));
        const environment = (await node.run("cat", `/proc/${pid}/environ`)).split("\0");
        expect(environment).toContain(`NORTHGATE_NB=${cluster.nbTls.remote}`);
        expect(environment).toContain(`NORTHGATE_NB_PRIVATE_KEY=${mount}/tls.key`);
      }
    },
    slow,
  );

  test(
    "the database takes a client with the Secret's files, and none with those of another authority",
    async () => {
      const { ovn, nbTls } = stage().cluster;
      const ask = (secret: string, ca = join(nbTls.secret, "ca.crt")) =>
        run(ovn.install.programs["ovn-nbctl"], [
          ...["--timeout=10", `--db=${nbTls.remote}`, `--ca-cert=${ca}`],
          ...[`--private-key=${secret}/tls.key`, `--certificate=${secret}/tls.crt`],
          ...["--no-leader-only", "get", "NB_Global", ".", "nb_cfg"],
        ]);
      expect((await ask(nbTls.secret)).stdout).toMatch(/^\d+\n$/);
      const strangers = mkdtempSync(join(tmpdir(), "ng-tls-"));
      try {
        makeSecretFiles(strangers, join(strangers, "secret"));
        await expect(ask(join(strangers, "secret"))).rejects.toThrow();
      } finally {
        rmSync(strangers, { recursive: true });
      }
    },
    slow,
  );
}
