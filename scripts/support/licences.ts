// The licences of everything that a production install brings, held against the list of those that go with Apache-2.0. Refuses
// what is not on the list, what says nothing, and what is too clever to be understood.

/** SPDX identifiers. A new one is a decision: look at what it asks for, then add it here. */
export const allowedLicences: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "PSF-2.0",
  "Unlicense",
]);

/** An entry of package-lock.json, as far as it is read. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: unknown;
  /** Only for development. */
  readonly dev?: boolean;
  readonly link?: boolean;
}

export interface PackageLicence {
  /** `name@version`. */
  readonly name: string;
  /** As the package says; empty: it says nothing. */
  readonly licence: string;
  readonly allowed: boolean;
}

/** `packages` of the lock file, by path; our own package is passed over. Platforms that are not installed count too. */
export function licencesOf(packages: Readonly<Record<string, LockedPackage>>): readonly PackageLicence[] {
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path !== "" && dev !== true && link !== true)
    .map(([path, { version = "?", license }]) => {
      const licence = typeof license === "string" ? license : "";
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      return { name: `${name}@${version}`, licence, allowed: isAllowed(licence) };
    });
}

/** One identifier, or several that are all joined by OR, or all by AND. */
export function isAllowed(expression: string): boolean {
  const inner = expression.trim().replace(/^\(([^()]*)\)$/, "$1");
  const choices = inner.split(/ or /i);
  const demands = inner.split(/ and /i);
  if (choices.length > 1 && demands.length > 1) return false;
  const one = (name: string) => allowedLicences.has(name.trim());
  return demands.length > 1 ? demands.every(one) : choices.some(one);
}
