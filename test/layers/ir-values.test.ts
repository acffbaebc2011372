// The list of places that look at values of the IR (CONTRIBUTING, "When the IR cannot say it"), held against the code: the type
// checker is asked for every use of the fields that tell the values apart. Everything else reads the normal form of a rule.

import { join, relative } from "node:path";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, jest, test } from "@jest/globals";
import ts from "typescript";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(120_000));

const repository = fileURLToPath(new URL("../..", import.meta.url));
const ir = join(repository, "src", "policy", "ir.ts");
/** Of peers, groups and ports; and of rules. */
const telling: ReadonlySet<string> = new Set(["kind", "translated"]);

function programOf(): ts.Program {
  const read = ts.readConfigFile(join(repository, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { fileNames, options } = ts.parseJsonConfigFileContent(read.config, ts.sys, repository);
  const sources = fileNames.filter((name) => name.startsWith(join(repository, "src/")));
  return ts.createProgram(
    sources.filter((name) => !name.endsWith(".test.ts")),
    { ...options, noEmit: true },
  );
}

/** Files in which a property that the IR declares, and that tells its values apart, is read. */
function readers(program: ts.Program): readonly string[] {
  const checker = program.getTypeChecker();
  const isOfIr = (symbol: ts.Symbol | undefined) =>
    symbol?.declarations?.some((declaration) => declaration.getSourceFile().fileName === ir) === true;
  const reads = (node: ts.Node): boolean => {
    if (ts.isPropertyAccessExpression(node) && telling.has(node.name.text))
      return isOfIr(checker.getSymbolAtLocation(node.name));
    if (!ts.isBindingElement(node)) return false;
    const name = node.propertyName ?? node.name;
    if (!ts.isIdentifier(name) || !telling.has(name.text)) return false;
    return isOfIr(checker.getTypeAtLocation(node.parent).getProperty(name.text));
  };
  const isReader = (node: ts.Node): boolean => reads(node) || (ts.forEachChild(node, isReader) ?? false);
  return program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && isReader(file))
    .map(({ fileName }) => relative(repository, fileName))
    .sort();
}

/** The files and folders of the table. */
function listed(): readonly string[] {
  const text = readFileSync(join(repository, "CONTRIBUTING.md"), "utf8");
  const table = text.slice(text.indexOf("### When the IR cannot say it")).split("\n\n");
  const rows =
    table
      .find((part) => part.startsWith("| place"))
      ?.split("\n")
      .slice(2) ?? [];
  return rows.flatMap((row) => (row.split("|")[2] ?? "").match(/src\/[\w/.-]+/g) ?? []);
}

test("only the listed places look at values of the IR, and each of them does", () => {
  const [found, places] = [readers(programOf()), listed()];
  const isIn = (file: string, place: string) =>
    file === place || (place.endsWith("/") && file.startsWith(place));
  expect(found.filter((file) => !places.some((place) => isIn(file, place)))).toEqual([]);
  expect(places.filter((place) => !found.some((file) => isIn(file, place)))).toEqual([]);
  expect(found).toContain("src/policy/normal-form.ts");
});
