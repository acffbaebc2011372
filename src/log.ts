// The winston implementation of Logger: JSON lines for machines, or short text lines for people. Standard error only, so
// that standard output stays a command's result.

import winston from "winston";
import type { LogFields, Logger } from "./lib/logger.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ["text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];

const text = winston.format.printf(({ timestamp, level, message, ...fields }) => {
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [String(timestamp), level.toUpperCase().padEnd(5), String(message), ...pairs].join(" ");
});

export function createLogger(level: LogLevel, format: LogFormat): Logger {
  const logger = winston.createLogger({
    level,
    format: winston.format.combine(
      winston.format.timestamp(),
      format === "json" ? winston.format.json() : text,
    ),
    transports: [new winston.transports.Console({ stderrLevels: [...logLevels] })],
  });
  const write = (severity: LogLevel) => (message: string, fields?: LogFields) => {
    logger.log(severity, message, fields ?? {});
  };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
