// What a cluster of many parts is ended by: the last one that was started ends first, also when a later one does not start.

/** How each part ends, in the order in which they were started. */
export type Ends = (() => Promise<unknown>)[];

/** `start` adds to the list what it has started; nothing of it is left when it rejects, and after `stop`. */
export async function startedWithEnds<T extends object>(
  start: (ends: Ends) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const ends: Ends = [];
  const stop = async (): Promise<void> => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  };
  try {
    return { ...(await start(ends)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
