// Throw-away certificates without openssl: an authority, serving certificates for 127.0.0.1, and client certificates
// whose common name is a Kubernetes user and whose organizations are its groups. Refuses nothing a certificate can say.
// Two authorities never share a name, so a client cannot take one for the other.

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { bits, explicit, integer, octets, oid, sequence, set, text, time, tlv, yes } from "./der.ts";

/** In PEM. */
export interface Certified {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority {
  readonly certificate: string;
  /** For a server that is reached as 127.0.0.1, localhost or by more names. A negative lifetime: it has expired. */
  serving(lifetimeMs?: number, more?: readonly string[]): Certified;
  client(user: string, groups: readonly string[], lifetimeMs?: number): Certified;
}

const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));
const commonName = "2.5.4.3";
const organization = "2.5.4.10";
const weekMs = 7 * 24 * 3600_000;
/** Bits of KeyUsage, the highest first. */
const digitalSignature = bits(Buffer.from([0x80]), 7);
const signsCertificates = bits(Buffer.from([0x06]), 1);

interface Issuer {
  readonly name: Buffer;
  readonly key: KeyObject;
  /** Of what it signs; a week unless told. */
  readonly lifetimeMs?: number;
}

export function newAuthority(): Authority {
  const pair = newPair();
  const name = nameOf(`northgate-test-${randomBytes(4).toString("hex")}`, []);
  const issuer = { name, key: pair.privateKey };
  const certificate = certify(issuer, name, pair.publicKey, [
    extension("2.5.29.19", sequence(yes()), true), // basic constraints: an authority
    extension("2.5.29.15", signsCertificates, true),
  ]);
  return {
    certificate,
    serving(lifetimeMs = weekMs, more = []) {
      const names = sequence(
        ...["localhost", "kubernetes.default.svc", ...more].map((one) => tlv(0x82, Buffer.from(one))),
        tlv(0x87, Buffer.from([127, 0, 0, 1])),
        tlv(0x87, Buffer.from([10, 96, 0, 1])), // of the Service kubernetes
      );
      const serverAuth = { purpose: "1.3.6.1.5.5.7.3.1", lifetimeMs };
      return issue(issuer, nameOf("kube-apiserver", []), serverAuth, [extension("2.5.29.17", names)]);
    },
    client: (user, groups, lifetimeMs = weekMs) =>
      issue(issuer, nameOf(user, groups), { purpose: "1.3.6.1.5.5.7.3.2", lifetimeMs }, []),
  };
}

/** The private and the public key that service account tokens are signed and checked with. */
export function signingKeys(): { readonly key: string; readonly publicKey: string } {
  const { privateKey, publicKey } = newPair();
  return { key: pemOf(privateKey), publicKey: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

interface Use {
  readonly purpose: string;
  readonly lifetimeMs: number;
}

function issue(
  issuer: Issuer,
  subject: Buffer,
  { purpose, lifetimeMs }: Use,
  extensions: readonly Buffer[],
): Certified {
  const pair = newPair();
  const bounded = { ...issuer, lifetimeMs };
  const certificate = certify(bounded, subject, pair.publicKey, [
    extension("2.5.29.15", digitalSignature, true),
    extension("2.5.29.37", sequence(oid(purpose))),
    ...extensions,
  ]);
  return { certificate, key: pemOf(pair.privateKey) };
}

function certify(
  issuer: Issuer,
  subject: Buffer,
  publicKey: KeyObject,
  extensions: readonly Buffer[],
): string {
  const now = Date.now();
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(randomBytes(15)),
    ecdsaWithSha256,
    issuer.name,
    sequence(time(new Date(now - 3600_000)), time(new Date(now + (issuer.lifetimeMs ?? weekMs)))),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensions)),
  );
  const whole = sequence(body, ecdsaWithSha256, bits(sign("sha256", body, issuer.key)));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function nameOf(user: string, groups: readonly string[]): Buffer {
  const part = (type: string, value: string) => set(sequence(oid(type), text(value)));
  return sequence(...groups.map((group) => part(organization, group)), part(commonName, user));
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [yes()] : []), octets(value));
}

function newPair() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
