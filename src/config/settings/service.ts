// Flags of a program that runs on: its metrics and its log.

import { logFormats, logLevels } from "../../log.ts";
import { metricsReaders } from "../choices.ts";
import type { Setting } from "../setting.ts";

export const ofService = [
  {
    flag: "metrics-bind-address",
    commands: ["run"],
    argument: "HOST:PORT",
    help: "where /metrics, /healthz and /readyz are served; off: nowhere",
    fallback: "127.0.0.1:9476",
  },
  {
    flag: "metrics-cert",
    commands: ["run"],
    argument: "FILE",
    help: "the certificate of that server (PEM), for HTTPS; read again when it changes",
    fallback: "",
  },
  {
    flag: "metrics-key",
    commands: ["run"],
    argument: "FILE",
    help: "its private key (PEM)",
    fallback: "",
  },
  {
    flag: "metrics-auth",
    commands: ["run"],
    argument: "WHO",
    help: "who may read /metrics: none, anyone; token, whose bearer token the API server lets; certificate",
    choices: metricsReaders,
    fallback: "none",
  },
  {
    flag: "metrics-client-ca",
    commands: ["run"],
    argument: "FILE",
    help: "the CAs whose client certificates may read /metrics (PEM), for --metrics-auth certificate",
    fallback: "",
  },
  {
    flag: "listen",
    commands: ["ui"],
    argument: "HOST:PORT",
    help: "where the page is served; port 0: any that is free",
    fallback: "127.0.0.1:8089",
  },
  {
    flag: "ui",
    commands: ["run"],
    argument: "HOST:PORT",
    help: "where a read-only page of policies and pods is served (docs/ui.md); off: nowhere",
    fallback: "off",
  },
  {
    flag: "log-level",
    commands: ["run"],
    argument: "LEVEL",
    help: `least severity logged: ${logLevels.join(", ")}`,
    choices: logLevels,
    fallback: "info",
  },
  {
    flag: "log-format",
    commands: ["run"],
    argument: "FORMAT",
    help: logFormats.join(" or "),
    choices: logFormats,
    fallback: "text",
  },
] as const satisfies readonly Setting[];
