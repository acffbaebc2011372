// The cluster as a folder of manifests, each file replaced as a whole by a rename, as a careful user does it, and as ports
// in the Northbound database, as a CNI brings them. A database that is away gets its ports when it is back.

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { portName } from "../../src/nbdb/rows/names.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import type { Cluster } from "./cluster.ts";

const portsAtOnce = 200;
const switchName = "soak";

export class Folder {
  /** For `--source=dir:`. */
  readonly path: string;
  readonly #cluster: Cluster;
  readonly #ovn: Ovn;
  readonly #draft: string;
  #ports: ReadonlySet<string> = new Set();
  #indent = 0;

  constructor(cluster: Cluster, ovn: Ovn) {
    this.#cluster = cluster;
    this.#ovn = ovn;
    this.path = join(ovn.dir, "manifests");
    this.#draft = join(ovn.dir, "draft");
    mkdirSync(this.path, { recursive: true });
  }

  /** Writes what has changed. */
  write(): void {
    for (const [name, items] of this.#cluster.takeChanged()) {
      const path = join(this.path, `${name}.json`);
      if (items.length === 0) {
        rmSync(path, { force: true });
        continue;
      }
      writeFileSync(
        this.#draft,
        JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, this.#indent),
      );
      renameSync(this.#draft, path);
    }
  }

  /** One change of the cluster, seen after `write`. */
  change(): void {
    this.#cluster.change();
  }

  /** Every file gets another text, and some another meaning. */
  replaceAll(changes: number): void {
    this.#indent = this.#indent === 0 ? 1 : 0;
    for (let done = 0; done < changes; done++) this.#cluster.change();
    this.#cluster.touch();
    this.write();
  }

  /** Makes the ports in the database those of the pods. Rejects when the database is away; a later call does the rest. */
  async writePorts(): Promise<void> {
    const wanted = new Set(Array.from(this.#cluster.pods(), ([inside, name]) => portName(inside, name)));
    const commands = [
      ...[...wanted]
        .filter((name) => !this.#ports.has(name))
        .map((name) => ["--may-exist", "lsp-add", switchName, name]),
      ...[...this.#ports].filter((name) => !wanted.has(name)).map((name) => ["--if-exists", "lsp-del", name]),
    ];
    for (let from = 0; from < commands.length; from += portsAtOnce) {
      const some = commands.slice(from, from + portsAtOnce).flatMap((words) => ["--", ...words]);
      await this.#ovn.nbctl("--may-exist", "ls-add", switchName, ...some);
    }
    this.#ports = wanted;
  }
}
