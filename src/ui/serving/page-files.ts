// The page's files, read once into memory: the page is served from there, and no request names a path of the disk. They are
// plain files of src/ui/page, which the package carries beside dist/. Throws when one is missing: the package is damaged.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** For If-None-Match, with its quotes. */
  readonly tag: string;
}

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** Beside this file in a checkout; the built program is in dist/. */
const folder = new URL(import.meta.url.endsWith(".ts") ? "../page/" : "../src/ui/page/", import.meta.url);

/** By the path of the request: "/" is the page itself. */
export function pageFiles(): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder)) {
    const type = types[name.slice(name.lastIndexOf(".") + 1)];
    if (type === undefined) continue;
    const body = readFileSync(new URL(name, folder));
    const tag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
    files.set(name === "index.html" ? "/" : `/${name}`, { type, body, tag });
  }
  if (!files.has("/")) throw new Error("the page is missing in src/ui/page: the package is damaged");
  return files;
}
