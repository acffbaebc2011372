// How much memory a thread beside the controller may take: half of what is left to the process, so that a question of the page
// never takes what the controller needs next. Of the limit of the container where there is one.

const fewestMegabytes = 64;

/** At most `most`. Throws an Error of one sentence when too little is left for a thread. */
export function megabytesLeft(most: number, available = process.availableMemory()): number {
  const half = Math.floor(available / 2 ** 21);
  if (half < fewestMegabytes)
    throw new Error(
      `the controller has ${half * 2} MiB of memory left, which is too little for this: ask northgate ui, or give it more`,
    );
  return Math.min(most, half);
}
