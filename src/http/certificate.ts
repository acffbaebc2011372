// The certificate and key of a server of ours, and the CAs of its clients, from files that are replaced while it runs.
// Refuses at the start what no client could use; later it keeps what it had, and says once for each state of the files why.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { SecureContextOptions } from "node:tls";
import { createSecureContext } from "node:tls";
import type { Logger } from "../lib/logger.ts";

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  /** null: clients are not asked for a certificate. */
  readonly clientCa: string | null;
}

/** How people know a server of ours. */
export interface ServerName {
  /** `metrics server`. */
  readonly server: string;
  /** What it shows: `metrics`. */
  readonly content: string;
  /** What the flags of its files begin with: `--metrics`. */
  readonly flags: string;
}

export class Certificate {
  readonly #files: CertificateFiles;
  readonly #name: ServerName;
  readonly #logger: Logger;
  #stamp: string;
  #context: SecureContextOptions;

  /** Throws one line that names the flag and the file. */
  constructor(files: CertificateFiles, name: ServerName, logger: Logger) {
    this.#files = files;
    this.#name = name;
    this.#logger = logger;
    this.#stamp = stampOf(files);
    this.#context = load(files, name);
  }

  get context(): SecureContextOptions {
    return this.#context;
  }

  /** The context when the files have changed and are good; null: nothing new. */
  renewed(): SecureContextOptions | null {
    const stamp = stampOf(this.#files);
    if (stamp === this.#stamp) return null;
    this.#stamp = stamp;
    try {
      this.#context = load(this.#files, this.#name);
    } catch (error) {
      const reason = messageOf(error);
      this.#logger.warn(`the new certificate of the ${this.#name.server} cannot be used; it keeps the old`, {
        reason,
      });
      return null;
    }
    this.#logger.info(`the ${this.#name.server} has a new certificate`);
    return this.#context;
  }
}

function load({ certificate, key, clientCa }: CertificateFiles, { flags }: ServerName): SecureContextOptions {
  const [ofCert, ofKey] = [`${flags}-cert ${certificate}`, `${flags}-key ${key}`];
  const cert = part(ofCert, () => readFileSync(certificate));
  const leaf = part(ofCert, () => inForce(new X509Certificate(cert)));
  const secret = part(ofKey, () => readFileSync(key));
  const belongs = part(ofKey, () => leaf.checkPrivateKey(createPrivateKey(secret)));
  if (!belongs) throw new Error(`${ofKey}: is not the key of ${ofCert}`);
  const pair: SecureContextOptions = { cert, key: secret, minVersion: "TLSv1.2" };
  const context =
    clientCa === null
      ? pair
      : { ...pair, ca: part(`${flags}-client-ca ${clientCa}`, () => authorities(clientCa)) };
  // What OpenSSL refuses, a key that is too short for one, must not fail at the first client.
  part(ofCert, () => createSecureContext(context));
  return context;
}

function inForce(leaf: X509Certificate): X509Certificate {
  const now = new Date();
  if (leaf.validToDate < now) throw new Error(`expired on ${leaf.validToDate.toISOString()}`);
  if (leaf.validFromDate > now) throw new Error(`not valid before ${leaf.validFromDate.toISOString()}`);
  return leaf;
}

function authorities(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("holds no certificate");
  return blocks.map((block) => new X509Certificate(block).toString());
}

function part<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${name}: ${messageOf(error)}`, { cause: error });
  }
}

function stampOf({ certificate, key, clientCa }: CertificateFiles): string {
  return [certificate, key, ...(clientCa === null ? [] : [clientCa])]
    .map((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? "none" : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
    })
    .join();
}

function messageOf(error: unknown): string {
  const named = typeof error === "object" && error !== null && "message" in error;
  return String(named ? error.message : error).split("\n")[0] ?? "";
}
