// The page as one file that needs nothing else: its modules joined into one script, its styles, and the answers of a moment as
// data that no browser runs. The policy in it allows exactly this script and these styles, by their hashes, and nothing from
// anywhere. Throws when a module has a form that cannot be joined: a mistake of ours.

import { createHash } from "node:crypto";
import { invariant } from "../../lib/invariant.ts";
import { visibleJson } from "../../model/quote.ts";
import type { ExportedAnswers } from "./answers.ts";
import type { PageFile } from "../serving/page-files.ts";

/** `at`: when the answers were made, in ISO 8601. */
export function exportedPage(
  files: ReadonlyMap<string, PageFile>,
  { views, answers }: ExportedAnswers,
  at: string,
): string {
  const textOf = (path: string): string => {
    const file = files.get(path);
    invariant(file !== undefined, `the page has ${path}`);
    return file.body.toString();
  };
  const page = textOf("/");
  const script = joined("main.js", textOf);
  const sheets = Iterator.from(page.matchAll(/<link rel="stylesheet" href="([\w-]+\.css)" \/>/g));
  const style = [...sheets].map(([, name = ""]) => textOf(`/${name}`)).join("\n");
  const icon = `data:image/svg+xml;base64,${Buffer.from(textOf("/icon.svg")).toString("base64")}`;
  const data = visibleJson(JSON.stringify({ at, views, answers })).replaceAll("<", "\\u003c");
  const head =
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(script, style)}" />\n    ` +
    `<meta name="referrer" content="no-referrer" />`;
  const parts: readonly (readonly [was: RegExp, becomes: string])[] = [
    [/<link rel="stylesheet"[^>]*>\s*/g, ""],
    [/<script type="module" src="main\.js"><\/script>/, `<style>${style}</style>`],
    [/<meta charset="utf-8" \/>/, `<meta charset="utf-8" />\n    ${head}`],
    [/href="icon\.svg"/, `href="${icon}"`],
    [
      /<\/body>/,
      `<script type="application/json" id="answers">${data}</script>\n    <script>${script}</script>\n  </body>`,
    ],
  ];
  return parts.reduce((text, [was, becomes]) => text.replace(was, () => becomes), page);
}

function policyOf(script: string, style: string): string {
  const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    ...["default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`, "img-src data:"],
    ...["base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"],
  ].join("; ");
}

/** Each module is a function that answers what it exports, called when those that it imports have been. */
function joined(main: string, textOf: (path: string) => string): string {
  const done = new Set<string>();
  const open = new Set<string>();
  const parts: string[] = [];
  const add = (name: string): void => {
    if (done.has(name)) return;
    invariant(!open.has(name), `no module of the page imports itself: ${name}`);
    open.add(name);
    const text = textOf(`/${name}`);
    for (const [, from = ""] of text.matchAll(importForm)) add(from.replace("./", ""));
    parts.push(moduleOf(name, text));
    done.add(name);
  };
  add(main);
  const script = `"use strict";\nconst modules = {};\n${parts.join("\n")}`;
  invariant(!/<\/script|<!--/i.test(script), "no module of the page ends its script");
  return script;
}

const importForm = /^import \{[^}]*\} from "(\.\/[\w-]+\.js)";$/gm;
const exportForm = /^export ((?:async )?function|class|const) (\w+)/gm;

function moduleOf(name: string, text: string): string {
  const names = [...text.matchAll(exportForm)].map(([, , exported = ""]) => exported);
  const body = text
    .replaceAll(importForm, (form) =>
      form
        .replace(/^import /, "const ")
        .replace(/ from "\.\/([\w-]+\.js)";$/, (_, from: string) => ` = modules[${JSON.stringify(from)}];`),
    )
    .replaceAll(exportForm, "$1 $2");
  invariant(!/^\s*(import|export)\b/m.test(body), `a module of the page is joined whole: ${name}`);
  return `modules[${JSON.stringify(name)}] = (() => {\n${body}\nreturn { ${names.join(", ")} };\n})();`;
}
