// A strict reader of JUnit's XML: well-formed XML 1.0 without anything but elements, attributes and text, and of the elements
// and attributes that the schema of Jenkins and Surefire has, in its order and with its required ones. Throws otherwise.

export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  readonly text: string;
}

/** Attributes that an element may have; with `!` it must. */
const known: Readonly<Record<string, readonly string[]>> = {
  testsuites: ["name", "time", "tests", "failures", "errors", "disabled"],
  testsuite: [
    "name!",
    "tests!",
    "failures",
    "errors",
    "time",
    "disabled",
    "skipped",
    "timestamp",
    "hostname",
    "id",
    "package",
  ],
  testcase: ["name!", "classname!", "time", "assertions", "status"],
  skipped: ["message", "type"],
  failure: ["type", "message"],
  "system-out": [],
};
const inside: Readonly<Record<string, readonly string[]>> = {
  testsuites: ["testsuite"],
  testsuite: ["testcase"],
  testcase: ["skipped", "failure", "system-out"],
};
const counts = ["tests", "failures", "errors", "skipped", "disabled"];
const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);
const token = /<\/([a-z-]+)>|<([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|([^<]+)/y;

interface Open extends Element {
  readonly children: Element[];
  text: string;
}

const opened = (name: string, attributes: ReadonlyMap<string, string>): Open => {
  return { name, attributes, children: [], text: "" };
};

export function readJunit(xml: string): Element {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!xml.startsWith(head)) throw new Error("no XML declaration");
  if (/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.test(xml))
    throw new Error("a character that XML 1.0 does not have");
  const document = opened("", new Map());
  const open = [document];
  const body = xml.slice(head.length);
  token.lastIndex = 0;
  while (token.lastIndex < body.length) {
    const found = token.exec(body);
    if (found === null) throw new Error("no XML");
    read(found, open);
  }
  const [only, ...others] = document.children;
  if (open.length !== 1 || only?.name !== "testsuites" || others.length > 0)
    throw new Error("not one testsuites");
  return only;
}

/** One token: text, the beginning of an element, or its end. */
function read([, closing, opening, attributes = "", alone, text]: RegExpExecArray, open: Open[]): void {
  const top = open.at(-1);
  if (top === undefined) throw new Error("more is closed than opened");
  if (text !== undefined) top.text += decoded(text);
  if (opening !== undefined) open.push(opened(opening, attributesOf(attributes)));
  if (closing !== undefined || alone === "/") close(closing, open);
}

function close(name: string | undefined, open: Open[]): void {
  const done = open.pop();
  if (done === undefined) throw new Error("more is closed than opened");
  if (name !== undefined && done.name !== name) throw new Error(`</${name}> closes ${done.name}`);
  open.at(-1)?.children.push(checked(done));
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const pairs = [...text.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(
    ([, name = "", value = ""]) => [name, decoded(value)] as const,
  );
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) throw new Error("an attribute twice");
  return new Map(pairs);
}

function decoded(text: string): string {
  return text.replace(/&([^;]*;?)/g, (whole, name: string) => {
    const character = entities.get(name.slice(0, -1));
    if (character === undefined || !name.endsWith(";")) throw new Error(`${whole} is no entity`);
    return character;
  });
}

function checked(element: Element): Element {
  const { name, children, text } = element;
  checkAttributes(element);
  const within = inside[name] ?? [];
  const wrong = children.find((child) => !within.includes(child.name));
  if (wrong !== undefined) throw new Error(`<${wrong.name}> in <${name}>`);
  if (within.length > 0 && text.trim() !== "") throw new Error(`text in <${name}>`);
  return element;
}

function checkAttributes({ name, attributes }: Element): void {
  const allowed = known[name];
  if (allowed === undefined) throw new Error(`<${name}> is not of JUnit`);
  for (const [key, value] of attributes) {
    if (!allowed.some((one) => one.replace("!", "") === key)) throw new Error(`${name} has no ${key}`);
    if (counts.includes(key) && !/^\d+$/.test(value)) throw new Error(`${key} is no number`);
  }
  for (const one of allowed)
    if (one.endsWith("!") && !attributes.has(one.slice(0, -1))) throw new Error(`${name} without ${one}`);
}
