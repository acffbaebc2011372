// One who follows docs/install.md: has a folder with the manifests, kubectl and helm on the PATH, and the variables that the page names.

import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ControlPlane } from "../../test/kube/control-plane.ts";
import { commandsOf, runBlock } from "./documented.ts";
import { helm } from "./helm.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));

export class Reader {
  /** A clone, as far as the commands need one. */
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;

  /** `dir`: for the folder, and the reader's home. */
  constructor(plane: ControlPlane, dir: string, variables: NodeJS.ProcessEnv) {
    this.folder = join(dir, "clone");
    for (const part of ["manifests", "examples"])
      cpSync(join(repository, part), join(this.folder, part), { recursive: true });
    const { kubectl } = plane.assets.programs;
    this.#env = {
      PATH: [dirname(kubectl), dirname(helm), process.env["PATH"]].join(":"),
      HOME: dir,
      KUBECONFIG: plane.kubeconfig,
      ...variables,
    };
  }

  /** Runs the block of docs/install.md. */
  run(block: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const text = commandsOf(join(repository, "docs/install.md")).get(block);
    if (text === undefined) throw new Error(`docs/install.md has no commands called ${block}`);
    return runBlock(text, { cwd: this.folder, env: { ...this.#env, ...env } });
  }

  /** A shell line of the test's own. */
  shell(text: string): Promise<string> {
    return runBlock(text, { cwd: this.folder, env: this.#env });
  }
}
