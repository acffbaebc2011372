// A real git repository as an application has it: policies and the cluster's objects in folders of their own, and YAML and JSON of
// other programs, at its top and among the policies. `origin` is bare; a clone of it is what a CI job works in.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../docs/reader.ts";

const example = join(root, "examples", "lost-dns");

/** The folders that have the other programs' files. */
const elsewhere = [".", "policies"];

const foreign: Readonly<Record<string, string>> = {
  "docker-compose.yaml": "services:\n  web:\n    image: nginx:1\n    ports: ['8080:80']\n",
  "package.json": '{ "name": "shop", "version": "1.0.0", "scripts": { "start": "node ." } }\n',
  "chart/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n",
  "chart/values.yaml": "replicas: 2\n",
  "chart/templates/deployment.yaml":
    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n  replicas: {{ .Values.replicas }}\n",
  ".github/workflows/ci.yaml": "on: pull_request\njobs: {}\n",
};

export class Repository {
  readonly #folder: string;
  readonly #work: string;
  readonly #origin: string;

  /** Makes a repository whose branch `main` allows DNS, and whose branch `edit` does not; `main` has moved on since. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#work = join(folder, "work");
    this.#origin = join(folder, "origin.git");
    this.#git(folder, "init", "--quiet", "--bare", "--initial-branch=main", this.#origin);
    this.#git(folder, "init", "--quiet", "--initial-branch=main", this.#work);
    this.#git(this.#work, "remote", "add", "origin", this.#origin);
    cpSync(join(example, "before"), this.#work, { recursive: true });
    for (const [name, text] of Object.entries(foreign))
      for (const place of elsewhere) this.#write(join(place, name), text);
    this.#commit("the policies");
    this.#git(this.#work, "checkout", "--quiet", "-b", "edit");
    rmSync(join(this.#work, "policies", "dns.yaml"));
    this.#commit("no rule for DNS");
    this.#git(this.#work, "checkout", "--quiet", "main");
    this.#write("policies/later.yaml", later);
    this.#commit("what the branch does not have yet");
    this.#git(this.#work, "push", "--quiet", "origin", "main", "edit");
  }

  /** A branch made from `main`, with an edit. */
  branch(name: string, edit: (folder: string) => void): void {
    this.#git(this.#work, "checkout", "--quiet", "-b", name, "main");
    edit(this.#work);
    this.#commit(name);
    this.#git(this.#work, "push", "--quiet", "origin", name);
  }

  /** A new clone as CI makes it: of one commit, without history. */
  clone(branch: string): string {
    const folder = mkdtempSync(join(this.#folder, `clone-${branch}-`));
    const source = `file://${this.#origin}`;
    this.#git(this.#folder, "clone", "--quiet", "--depth=1", `--branch=${branch}`, source, folder);
    return folder;
  }

  /** What `git` says in a clone. */
  said(folder: string, ...args: readonly string[]): string {
    return this.#git(folder, ...args);
  }

  #write(name: string, text: string): void {
    const file = join(this.#work, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  #commit(message: string): void {
    this.#git(this.#work, "add", "--all");
    this.#git(this.#work, "commit", "--quiet", "-m", message);
  }

  #git(folder: string, ...args: readonly string[]): string {
    const identity = [
      "-c",
      "user.name=test",
      "-c",
      "user.email=test@example.com",
      "-c",
      "protocol.file.allow=always",
    ];
    return execFileSync("git", [...identity, ...args], {
      cwd: folder,
      encoding: "utf8",
      env: gitEnvironment(),
    });
  }
}

/** No settings of the machine. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", NODE_OPTIONS: "" };
}

/** Isolates the pods of a namespace: the branch must not be said to remove it. */
const later = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  namespace: users
  name: later
spec:
  podSelector: {}
  policyTypes: [Ingress]
`;
