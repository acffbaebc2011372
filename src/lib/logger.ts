// The interface of the log, independent of its output format (src/log.ts). A message is a constant sentence; everything
// that varies goes into the fields.

export type LogFields = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Logs nothing; for tests and for library users without a logger. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};
