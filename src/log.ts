// The winston implementation of Logger: JSON lines for machines, or short text lines for people. Standard error only, so
// that standard output stays a command's result. One line for each call, without an invisible character, whatever the
// fields hold: they may come from a server or a database. Time, level and message come first, and no field replaces them.

import type winston from "winston";
import type { LogFields, Logger } from "./lib/logger.ts";
import { visibleJson } from "./model/quote.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ["text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];

function shown(fields: unknown): object {
  return typeof fields === "object" && fields !== null ? fields : {};
}

type Line = winston.Logform.TransformableInfo;

function textOf({ timestamp, level, message, fields }: Line): string {
  const pairs = Object.entries(shown(fields)).map(
    ([key, value]) => `${key}=${visibleJson(JSON.stringify(value))}`,
  );
  return [String(timestamp), level.toUpperCase().padEnd(5), String(message), ...pairs].join(" ");
}

function jsonOf({ timestamp: time, level, message, fields }: Line): string {
  const head = { time, level, message };
  return visibleJson(JSON.stringify({ ...head, ...shown(fields), ...head }));
}

const forms: Readonly<Record<LogFormat, (line: Line) => string>> = { text: textOf, json: jsonOf };

/** Bytes that a program that reads the log may leave unread; lines beyond them are lost, so that memory is bounded. */
const mostUnread = 2 ** 20;

export async function createLogger(level: LogLevel, format: LogFormat): Promise<Logger> {
  return (await createSwitchedLogger(level, format)).logger;
}

export interface SwitchedLogger {
  readonly logger: Logger;
  /** From now on. */
  readonly setLevel: (level: LogLevel) => void;
}

/** One whose level can change while it is used. The library is loaded here: most commands log nothing. */
export async function createSwitchedLogger(level: LogLevel, format: LogFormat): Promise<SwitchedLogger> {
  const { default: winston } = await import("winston");
  const logger = winston.createLogger({
    level,
    format: winston.format.combine(winston.format.timestamp(), winston.format.printf(forms[format])),
    transports: [new winston.transports.Console({ stderrLevels: [...logLevels] })],
  });
  const write = (severity: LogLevel) => (message: string, fields?: LogFields) => {
    if (process.stderr.writableLength > mostUnread) return;
    // As one value: winston would append a field called message to the message.
    logger.log({ level: severity, message, fields });
  };
  return {
    logger: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    setLevel: (next) => {
      logger.level = next;
    },
  };
}
