// A reader at a shell: a folder of its own with the examples in it, and `northgate` on its path.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { mainFile } from "../support/main-file.ts";
import { patience } from "../support/patience.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export class Reader {
  readonly #folder = mkdtempSync(join(tmpdir(), "ng-docs-"));

  constructor() {
    symlinkSync(join(root, "examples"), join(this.#folder, "examples"));
    mkdirSync(join(this.#folder, "bin"));
    this.#program("northgate", `exec "${process.execPath}" "${mainFile}" "$@"`);
    this.#program("npx", `shift; exec "${join(this.#folder, "bin/northgate")}" "$@"`);
  }

  /** What the command printed, errors too, in the order in which a terminal shows it, and its exit code. */
  run(
    command: string,
    env: NodeJS.ProcessEnv = {},
  ): { readonly printed: string; readonly code: number | null } {
    const path = `${join(this.#folder, "bin")}:${env["PATH"] ?? process.env["PATH"] ?? ""}`;
    const { stdout, error, status } = spawnSync("bash", ["-c", `exec 2>&1; ${command}`], {
      cwd: this.#folder,
      encoding: "utf8",
      env: { ...process.env, ...env, PATH: path, NODE_OPTIONS: "", NO_COLOR: "1" },
      timeout: patience(30_000),
    });
    if (error !== undefined) throw error;
    return { printed: stdout, code: status };
  }

  /** Makes `name` a link to what is elsewhere. */
  link(name: string, target: string): void {
    mkdirSync(dirname(join(this.#folder, name)), { recursive: true });
    symlinkSync(target, join(this.#folder, name));
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text);
  }

  /** A copy of an example, `file` of it with `old` replaced. */
  edited(name: string, example: string, file: string, [old, now]: readonly [string, string]): void {
    cpSync(join(root, "examples", example), join(this.#folder, name), { recursive: true });
    const path = join(this.#folder, name, file);
    const text = readFileSync(path, "utf8");
    if (!text.includes(old)) throw new Error(`${file} of ${example} has no ${old}`);
    writeFileSync(path, text.replace(old, now));
  }

  end(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #program(name: string, line: string): void {
    const path = join(this.#folder, "bin", name);
    writeFileSync(path, `#!/bin/sh\n${line}\n`);
    chmodSync(path, 0o755);
  }
}
