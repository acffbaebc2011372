// The folder of the sandbox that `up` keeps running: .cache/sandbox of the repository, or, when that path is too long
// for a unix socket, a folder in /tmp that belongs to this user and this repository. The same on every call.

import { createHash } from "node:crypto";
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fitsSockets } from "./ovn.ts";

export function defaultDir(): string {
  const inRepository = fileURLToPath(new URL("../../.cache/sandbox", import.meta.url));
  if (fitsSockets(inRepository)) return inRepository;
  const user = process.getuid?.() ?? 0;
  const name = createHash("sha256").update(`${user} ${inRepository}`).digest("hex").slice(0, 12);
  return join("/tmp", `northgate-${name}`);
}

/** Throws when another user made the folder: sockets in it would be theirs. */
export function ensureOwn(dir: string): void {
  if (!existsSync(dir)) return;
  const found = lstatSync(dir);
  const mine = process.getuid === undefined || found.uid === process.getuid();
  if (!found.isDirectory() || !mine) throw new Error(`${dir} is not a folder of this user`);
}
