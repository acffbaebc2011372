// Who may talk to a test's API server: the files of its authority, its serving certificate, its token list, and one
// kubeconfig a user. Refuses a user it does not know. A kubeconfig names files, not contents, so it stays right when
// what it names is rotated; whoever has read it already must notice by himself.

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientIdentity } from "./api.ts";
import { type Authority, newAuthority, signingKeys } from "./certificates.ts";

export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
  /** How it proves its name; by a client certificate unless told. */
  readonly by?: "certificate" | "token";
}

export const admin = "admin";

export class Credentials {
  readonly #dir: string;
  readonly #url: string;
  readonly #users = new Map<string, User>();
  readonly #tokens = new Map<string, string>();
  #authority: Authority = newAuthority();

  constructor(dir: string, url: string) {
    this.#dir = join(dir, "pki");
    this.#url = url;
  }

  /** Writes what the API server reads at its start, and the administrator's kubeconfig. */
  write(): void {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    if (!existsSync(this.path("accounts.key"))) {
      const keys = signingKeys();
      this.#save("accounts.key", keys.key);
      this.#save("accounts.pub", keys.publicKey);
    }
    this.#save("ca.crt", this.#authority.certificate);
    this.newServing();
    this.#saveTokens();
    this.add({ name: admin, groups: ["system:masters"] });
  }

  path(file: string): string {
    return join(this.#dir, file);
  }

  /** The path of the user's kubeconfig. A token is valid from the next start of the API server. */
  add(user: User): string {
    this.#users.set(user.name, user);
    const file = encodeURIComponent(user.name);
    if (user.by === "token") this.newToken(user.name);
    else this.#certify(user);
    const proof =
      user.by === "token"
        ? // kubectl knows the first, @kubernetes/client-node the second, and neither minds the other.
          { tokenFile: this.path(`${file}.token`), "token-file": this.path(`${file}.token`) }
        : { "client-certificate": this.path(`${file}.crt`), "client-key": this.path(`${file}.key`) };
    this.#saveKubeconfig(user, proof);
    return this.kubeconfigOf(user.name);
  }

  kubeconfigOf(name: string): string {
    if (!this.#users.has(name)) throw new Error(`no user ${name}`);
    return this.path(`${encodeURIComponent(name)}.kubeconfig`);
  }

  /** The path of a kubeconfig with somebody else's token, such as a service account's. */
  addToken(name: string, token: string): string {
    const user: User = { name, by: "token" };
    this.#users.set(name, user);
    this.#saveKubeconfig(user, { token });
    return this.kubeconfigOf(name);
  }

  /** A user with a client certificate, as node:https wants it. */
  identity(name: string): ClientIdentity {
    const read = (file: string) => readFileSync(this.path(file), "utf8");
    const file = encodeURIComponent(name);
    return { ca: read("ca.crt"), cert: read(`${file}.crt`), key: read(`${file}.key`) };
  }

  /** Takes the user's token away and gives a new one. */
  newToken(name: string): string {
    if (this.#users.get(name)?.by !== "token") throw new Error(`no user ${name} with a token`);
    const token = randomBytes(16).toString("hex");
    this.#tokens.set(name, token);
    this.#save(`${encodeURIComponent(name)}.token`, token);
    this.#saveTokens();
    return token;
  }

  newServing(): void {
    const { certificate, key } = this.#authority.serving();
    this.#save("serving.key", key);
    this.#save("serving.crt", certificate);
  }

  /** Everything signed anew by another authority; the old one is not trusted any more. */
  newAuthority(): void {
    this.#authority = newAuthority();
    this.#save("ca.crt", this.#authority.certificate);
    this.newServing();
    for (const user of this.#users.values()) if (user.by !== "token") this.#certify(user);
  }

  #certify(user: User): void {
    const { certificate, key } = this.#authority.client(user.name, user.groups ?? []);
    this.#save(`${encodeURIComponent(user.name)}.crt`, certificate);
    this.#save(`${encodeURIComponent(user.name)}.key`, key);
  }

  #saveKubeconfig(user: User, proof: Readonly<Record<string, string>>): void {
    const content = kubeconfig(this.#url, this.path("ca.crt"), user, proof);
    this.#save(`${encodeURIComponent(user.name)}.kubeconfig`, JSON.stringify(content));
  }

  #saveTokens(): void {
    const line = ([name, token]: [string, string]) =>
      `${token},${name},${name},"${(this.#users.get(name)?.groups ?? []).join(",")}"\n`;
    this.#save("tokens.csv", [...this.#tokens].map(line).join(""));
  }

  #save(file: string, content: string): void {
    writeFileSync(this.path(file), content, { mode: 0o600 });
  }
}

function kubeconfig(
  server: string,
  ca: string,
  user: User,
  proof: Readonly<Record<string, string>>,
): unknown {
  const context = { cluster: "test", user: user.name, namespace: "default" };
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority": ca } }],
    users: [{ name: user.name, user: proof }],
    contexts: [{ name: "test", context }],
    "current-context": "test",
  };
}
