// What a bundle is made of: parts, each of one or several files, and what could not be read.

export interface BundleFile {
  /** Its path in the bundle. */
  readonly name: string;
  /** Text, or a value that becomes JSON. */
  readonly content: string | object;
}

export interface PartContent {
  readonly files: readonly BundleFile[];
  /** What is missing, one sentence each with the reason. */
  readonly unread: readonly string[];
}

/** The flags do not ask for it. */
export class Skipped extends Error {
  override readonly name = "Skipped";
}

/** What all parts have. */
export interface Gathered extends PartContent {
  /** What the flags do not ask for. */
  readonly skipped: readonly string[];
}

/** Is shown before anything is read. */
export interface Part {
  /** A file, or a folder with `/` at its end. */
  readonly name: string;
  readonly holds: string;
  /** May reject with an Error of one sentence: then the part is missing. */
  readonly read: () => Promise<PartContent>;
}

export function contentOf(...files: readonly BundleFile[]): PartContent {
  return { files, unread: [] };
}

/** All parts, one after another: what fails is said, and the rest is there. */
export async function readParts(parts: readonly Part[]): Promise<Gathered> {
  const files: BundleFile[] = [];
  const unread: string[] = [];
  const skipped: string[] = [];
  for (const { name, read } of parts) {
    try {
      const content = await read();
      files.push(...content.files);
      unread.push(...content.unread.map((reason) => `${name}: ${reason}`));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      (error instanceof Skipped ? skipped : unread).push(`${name}: ${error.message}`);
    }
  }
  return { files, unread, skipped };
}
