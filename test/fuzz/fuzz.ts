// Fuzzing that follows the coverage: inputs that run code that never ran before are kept and changed further. FUZZ_RUNS sets how
// many inputs are tried, FUZZ_SEED repeats a run; CI has one seed, so that a commit always gets the same inputs.

import { Coverage } from "./coverage.ts";
import type { Draw } from "./mutate.ts";
import { drawFrom, mutated } from "./mutate.ts";

export const runs = Number(process.env["FUZZ_RUNS"] ?? 2500);
const seed = Number(
  process.env["FUZZ_SEED"] ?? (process.env["CI"] === "true" ? 20_261_127 : Date.now() % 1_000_000),
);
/** Inputs for one look at the coverage, which takes some milliseconds. */
const batch = 50;

/** Tries inputs; `one` throws for a defect. Returns the functions that no input has run. */
export async function fuzz(
  name: string,
  files: RegExp,
  seeds: readonly Buffer[],
  one: (input: Buffer, draw: Draw) => void | Promise<void>,
  count = runs,
) {
  const draw = drawFrom(seed);
  const coverage = await Coverage.start(files);
  const corpus = [...seeds];
  try {
    for (const input of seeds) await one(input, draw);
    await coverage.fresh();
    const begun = coverage.blocks;
    for (let tried = 0; tried < count; tried += batch) {
      const inputs = Array.from({ length: batch }, () => mutated(draw, corpus[draw(corpus.length)]!, seeds));
      for (const input of inputs) await answered(input, () => one(input, draw));
      // Which of them it was does not matter: their descendants find it again. Long ones only take time.
      if ((await coverage.fresh()) > 0) corpus.push(...inputs.filter(({ length }) => length < 5000));
    }
    process.stderr.write(
      `${name}: ${count} inputs from seed ${seed}, ${begun} → ${coverage.blocks} blocks, ${corpus.length} kept\n`,
    );
    return coverage.untouched;
  } finally {
    await coverage.stop();
  }
}

async function answered(input: Buffer, one: () => void | Promise<void>): Promise<void> {
  try {
    await one();
  } catch (cause) {
    throw new Error(`FUZZ_SEED=${seed}: ${JSON.stringify(input.toString("latin1"))}`, { cause });
  }
}
