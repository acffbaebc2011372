// What the program may say, apart from how it is written down (src/log.ts). A message is a constant sentence; whatever
// varies goes into the fields.

export type LogFields = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Says nothing; for tests and for library users who bring no logger. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};
