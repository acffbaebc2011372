// Byte strings that are nearly another: with bytes changed, cut, doubled, moved in from elsewhere, or tokens put in that
// parsers treat in their own way. Everything follows from the numbers drawn.

export type Draw = (below: number) => number;

/** mulberry32: small, and the same everywhere. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const tokens = [
  ..."\n|- |---\n|...\n|: |? |[|]|{|}|,|\"|'|&a |*a|<<: *a|!!str |!!omap|!!set|!!binary |%YAML 1.1\n|%TAG ! x\n|#|\t|\r".split(
    "|",
  ),
  ..."null|~|true|-1|0|1e308|9007199254740993|0x10|.nan|.inf|__proto__|constructor|\\u0000|\u001b[31m|\u202e|\u2028".split(
    "|",
  ),
  ..."/0|/33|/129|::|::ffff:1.2.3.4|1.2.3.4|01.2.3.4|fe80::1%eth0|10.0.0.0/8|10.0.0.1/8".split("|"),
  ..."In|NotIn|Exists|DoesNotExist|matchLabels|matchExpressions|values|namespaces|pods|networks|Allow|Deny|Pass".split(
    "|",
  ),
  '"type":"DELETED"',
  '"type":"BOOKMARK"',
  '"type":"ERROR"',
  '"resourceVersion":""',
  "}\n{",
];

const picked = <T>(draw: Draw, list: readonly T[]): T => list[draw(list.length)]!;

/** What may stand where another value is expected. */
const values = [
  "",
  "null",
  "~",
  "true",
  "7",
  "-1",
  "1e308",
  '"x"',
  "x",
  "[]",
  "{}",
  "[null]",
  '{"a":7}',
  "*a",
];

/** One change, or a few: most second changes only break what the first one made. `others` give parts to splice in. */
export function mutated(draw: Draw, bytes: Buffer, others: readonly Buffer[]): Buffer {
  let result = bytes;
  for (let changes = draw(3) > 0 ? 1 : 1 + draw(8); changes > 0; changes--)
    result = changed(draw, result, others);
  return result;
}

const before: ReadonlySet<number> = new Set(Buffer.from(":,[-"));
const after: ReadonlySet<number> = new Set(Buffer.from(",]}\n"));

/** The next value after a place, as far as JSON and YAML show one, replaced as a whole. */
function withValue(bytes: Buffer, place: number, by: Buffer): Buffer {
  const from = bytes.findIndex((byte, i) => i >= place && before.has(byte)) + 1;
  if (from === 0) return bytes;
  const found = bytes.findIndex((byte, i) => i >= from && after.has(byte));
  const to = found < 0 ? bytes.length : found;
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(" "), by, bytes.subarray(to)]);
}

function changed(draw: Draw, bytes: Buffer, others: readonly Buffer[]): Buffer {
  const at = draw(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + draw(draw(4) === 0 ? 200 : 12));
  const replaced = (part: Uint8Array) => Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(end)]);
  switch (draw(10)) {
    case 0:
      return replaced(Buffer.of(draw(256)));
    case 1:
      return replaced(Buffer.alloc(0));
    case 2:
      return replaced(Buffer.concat([bytes.subarray(at, end), bytes.subarray(at, end)]));
    case 3: {
      const other = picked(draw, others);
      const from = draw(other.length + 1);
      return replaced(other.subarray(from, from + draw(200)));
    }
    case 4:
      return bytes.subarray(0, at);
    case 5:
    case 6:
    case 7:
      return withValue(bytes, at, Buffer.from(picked(draw, values)));
    default:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(picked(draw, tokens)), bytes.subarray(at)]);
  }
}
