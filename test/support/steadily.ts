// Writing at a steady pace, as an editor or a copy does. A busy machine may hold the test up for so long that the program rightly
// takes what was written so far for the whole: such a try proves nothing, and is repeated.

/** Less than the 500 ms for which `northgate run` wants a file or a folder to rest. */
const longestMs = 450;
const mostTries = 10;

/** Waits between two writings, and for 0 ms before the first and after the last. */
export type Pause = (ms: number) => Promise<void>;

/**
 * Writes, and then judges. `write` begins anew each time it is called, and gives the judgement, which is made of a try that kept its
 * pace only. Throws when the machine holds up every try.
 */
export async function steadily(write: (pause: Pause) => Promise<() => void>): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    const times: number[] = [];
    const judge = await write(async (ms) => {
      times.push(performance.now());
      await new Promise((resolve) => setTimeout(resolve, ms));
      times.push(performance.now());
    });
    if (longestGapMs(times) < longestMs) {
      judge();
      return;
    }
  }
  throw new Error(`the machine held up all ${mostTries} tries for ${longestMs} ms or more`);
}

/** At most so long lies between two writings: from the end of a pause to the beginning of the next but one. */
function longestGapMs(times: readonly number[]): number {
  const ends = times.filter((_, at) => at % 2 === 1);
  const begins = times.filter((_, at) => at % 2 === 0);
  return Math.max(...ends.map((end, at) => (begins[at + 2] ?? begins.at(-1) ?? end) - end));
}
