// The last step of `npm run build`: writes the commit of this checkout to dist/build.json, where a built program finds it.
// Without a checkout of this package it takes $NORTHGATE_COMMIT; without both it writes nothing, and the program says that
// its commit is unknown.

import { rmSync, writeFileSync } from "node:fs";
import { commitOfCheckout } from "../src/version.ts";

const file = new URL("../dist/build.json", import.meta.url);
const commit = commitOfCheckout() ?? process.env["NORTHGATE_COMMIT"] ?? "";
if (commit === "") rmSync(file, { force: true });
else writeFileSync(file, `${JSON.stringify({ commit })}\n`);
