import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { readList } from "./list-items.ts";
import { answerDepth } from "./limits.ts";

/** What `readList` reads, put together again; undefined: it refuses. */
function whole(bytes: Buffer): unknown {
  const answer = readList(bytes);
  if (answer === undefined) return undefined;
  if (answer.items === null) return { body: answer.body };
  try {
    const items = [...answer.items];
    return { body: { ...(answer.body as object), items } };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return undefined;
  }
}

/** What JSON.parse reads. */
function expected(bytes: Buffer): unknown {
  try {
    return { body: JSON.parse(bytes.toString()) as unknown };
  } catch {
    return undefined;
  }
}

const space = fc.constantFrom("", " ", "\n\t", "\r ");
/** Texts with all that a cut could stumble over. */
const texts = fc.constantFrom(
  "items",
  '"items":[',
  "[{",
  "}]",
  ",",
  "\\",
  'a"b',
  "\u00e9\u4e2d",
  "\ud83d\ude00",
  "",
);
const names = fc.oneof(fc.constantFrom("items", "metadata", "kind", "a"), texts);
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1.5e3),
    texts,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  ),
})).value;
const answers = fc.oneof(
  values,
  fc.record({ metadata: values, items: fc.array(values, { maxLength: 6 }) }),
  fc.record({ items: values, kind: texts, metadata: fc.record({ items: values }) }),
);

/** As some server might write it: with spaces, or with names and texts in escapes. */
const written = fc.tuple(answers, space, fc.boolean()).map(([answer, between, escaped]) => {
  const text = JSON.stringify(answer, null, between);
  const spaced = between + text + between;
  return escaped
    ? spaced.replace(/[a-z]/g, (c, at: number) =>
        at % 7 === 0 && isInText(spaced, at) ? `\\u00${c.charCodeAt(0).toString(16)}` : c,
      )
    : spaced;
});

function isInText(text: string, at: number): boolean {
  let isIn = false;
  for (let i = 0; i < at; i++) {
    if (text[i] === "\\") {
      i++;
      if (i === at) return false;
    } else if (text[i] === '"') isIn = !isIn;
  }
  return isIn;
}

describe("the items of a list", () => {
  test("are what JSON.parse reads", () => {
    fc.assert(
      fc.property(written, (text) => {
        const bytes = Buffer.from(text);
        expect(whole(bytes)).toEqual(expected(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test("are refused where JSON.parse refuses, and are the same where damage leaves JSON", () => {
    const damage = fc.tuple(
      written,
      fc.nat(),
      fc.constantFrom("", "[", "]", "{", "}", ",", '"', "\\", "items", "\u00a0", "1"),
    );
    fc.assert(
      fc.property(damage, fc.nat({ max: 3 }), ([text, place, more], cut) => {
        const at = place % (text.length + 1);
        const bytes = Buffer.from(text.slice(0, at) + more + text.slice(at + cut));
        expect(whole(bytes)).toEqual(expected(bytes));
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['{"items":[]}', []],
    ['{"items":[ \n ]}', []],
    ['{"items" : [1 , {"a":"],["} ] , "kind":"items"}', [1, { a: "],[" }]],
  ])("%s", (text, items) => {
    const answer = readList(Buffer.from(text));
    expect(answer?.items === null ? null : [...(answer?.items ?? [])]).toEqual(items);
    expect(answer?.body).toMatchObject({ items: [] });
  });

  test.each([
    '{"items":null}',
    '{"items":[1],"items":[2]}',
    '{"items":[1],"items":null}',
    '{"a":{"items":[1]}}',
    '[{"items":[1]}]',
    '{"\\u0069tems":[1]}',
  ])("%s is parsed as a whole", (text) => {
    expect(readList(Buffer.from(text))).toEqual({ body: JSON.parse(text) as unknown, items: null });
  });

  test("an item is parsed when it is reached", () => {
    const items = readList(Buffer.from('{"items":[1,2,nothing,4]}'))?.items;
    const seen: unknown[] = [];
    expect(() => {
      for (const item of items ?? []) seen.push(item);
    }).toThrow(SyntaxError);
    expect(seen).toEqual([1, 2]);
  });

  test("nested too deep is refused, before, in and behind the items", () => {
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    const fits = [
      `{"a":${deep(answerDepth - 1)},"items":[]}`,
      `{"items":[${deep(answerDepth - 2)}]}`,
      `{"items":[],"a":${deep(answerDepth - 1)}}`,
    ];
    const over = [
      `{"a":${deep(answerDepth)},"items":[]}`,
      `{"items":[${deep(answerDepth - 1)}]}`,
      `{"items":[],"a":${deep(answerDepth)}}`,
    ];
    for (const text of fits) expect(readList(Buffer.from(text))).toBeDefined();
    for (const text of over) expect(readList(Buffer.from(text))).toBeUndefined();
  });
});
