// Reads the script of nftables that `northgate render -o restore` prints: whatever nft would refuse is refused, and so is every word that
// the walk through the rules does not know. It knows sets, maps and chains, and neither policies nor groups.

export interface NftSetText {
  readonly type: string;
  readonly elements: ReadonlySet<string>;
}

export interface NftChainText {
  /** Where the chain is called from by the kernel; null: other chains call it. */
  readonly hook: { readonly name: string; readonly priority: number } | null;
  readonly rules: readonly string[];
}

export interface NftText {
  readonly sets: ReadonlyMap<string, NftSetText>;
  /** Verdicts by key. */
  readonly maps: ReadonlyMap<
    string,
    { readonly type: string; readonly verdicts: ReadonlyMap<string, string> }
  >;
  readonly chains: ReadonlyMap<string, NftChainText>;
}

const head = "table inet northgate\ndelete table inet northgate\n";

export function readNftText(text: string): NftText {
  if (!text.startsWith(head)) throw new Error("the script does not begin with the removal of the table");
  const body = text.slice(head.length);
  const whole = /^table inet northgate \{\n(.*)\}\n$/s.exec(body)?.[1] ?? "";
  if (body !== "" && whole === "") throw new Error("no whole table");
  const named = nftBlocks(whole);
  if (new Set(named.map(({ name }) => name)).size !== named.length) throw new Error("a name is used twice");
  const only = (wanted: string) => named.filter(({ word }) => word === wanted);
  const result = {
    sets: new Map(only("set").map(({ name, lines }) => [name, setOf(lines)] as const)),
    maps: new Map(only("map").map(({ name, lines }) => [name, mapOf(lines)] as const)),
    chains: new Map(only("chain").map(({ name, lines }) => [name, chainOf(lines)] as const)),
  };
  refuseMissing(whole, result);
  return result;
}

export interface NftBlock {
  /** "set", "map" or "chain". */
  readonly word: string;
  readonly name: string;
  readonly lines: readonly string[];
}

/** What is between the braces of a table; every line must be of a block. */
export function nftBlocks(whole: string): readonly NftBlock[] {
  const blocks = [...whole.matchAll(/^\t(set|map|chain) ([\w-]+) \{\n((?:\t\t.*\n)*)\t\}\n/gm)];
  const read = blocks.reduce((sum, [one]) => sum + one.length, 0);
  const between = whole.split("\n").filter((line) => line === "").length - 1;
  if (blocks.length > 0 && read + between !== whole.length) throw new Error("a line of no set and no chain");
  return blocks.map(([, word = "", name = "", lines = ""]) => ({ word, name, lines: linesOf(lines) }));
}

/** What continues a list of elements is one line with its beginning. */
function linesOf(text: string): readonly string[] {
  return text
    .replaceAll(/,\n\t+ +/g, ", ")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(2));
}

function setOf([typeLine = "", list = "", ...others]: readonly string[]): NftSetText {
  const type = /^type ([\w. ]+)$/.exec(typeLine)?.[1];
  if (type === undefined || others.length > 0) throw new Error(`no type of a set: ${typeLine}`);
  return { type, elements: elementsOf(list) };
}

function mapOf([typeLine = "", list = "", ...others]: readonly string[]) {
  const type = /^type (\w+) : verdict$/.exec(typeLine)?.[1];
  if (type === undefined || others.length > 0) throw new Error(`no type of a map: ${typeLine}`);
  const pairs = [...elementsOf(list)].map((element) => element.split(" : ") as [string, string]);
  if (new Map(pairs).size !== pairs.length) throw new Error("a key is in a map twice");
  return { type, verdicts: new Map(pairs) };
}

/** Of the line of a set or map that names them. */
export function elementsOf(line: string): ReadonlySet<string> {
  if (line === "") return new Set();
  const list = /^elements = \{ (.+) \}$/.exec(line)?.[1];
  if (list === undefined) throw new Error(`no elements: ${line}`);
  return new Set(list.split(", "));
}

function chainOf(lines: readonly string[]): NftChainText {
  const [, name, priority] =
    /^type filter hook (\w+) priority (\d+); policy accept;$/.exec(lines[0] ?? "") ?? [];
  if (name === undefined) return { hook: null, rules: lines };
  return { hook: { name, priority: Number(priority) }, rules: lines.slice(1) };
}

function refuseMissing(text: string, { sets, maps, chains }: NftText): void {
  const [called, looked] = [/ ?\b(?:jump|goto) ([\w-]+)/g, /@([\w-]+)/g].map((pattern) =>
    [...text.matchAll(pattern)].map(([, name = ""]) => name),
  );
  for (const name of called ?? []) if (!chains.has(name)) throw new Error(`no chain ${name}`);
  for (const name of looked ?? []) if (!sets.has(name) && !maps.has(name)) throw new Error(`no set ${name}`);
}
