// `node scripts/cni-doc.ts`: writes the answers of network plugins into docs/cni.md, between its marks. A test holds the page to it.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { withAnswers } from "../src/cni/document.ts";

const page = fileURLToPath(new URL("../docs/cni.md", import.meta.url));
const text = withAnswers(readFileSync(page, "utf8"));
writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: "markdown" }));
