// The part of the chart's schema that says which keys its `settings` has and what each may be, made from the table of
// settings. A setting that a value of the chart's own says is none of them, nor one that names a file, which the chart would
// have to mount. scripts/chart-schema.ts writes it, and a test compares it.

import type { Setting } from "./setting.ts";
import { settingsOf } from "./settings.ts";
import type { Shape } from "./shapes.ts";
import { shapeOf } from "./shapes.ts";

interface SettingsSchema {
  readonly type: "object";
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, Shape & { readonly description: string }>>;
}

/** In the order of the help. */
export function settingsSchema(): SettingsSchema {
  const properties = settingsOf("run")
    .filter((setting) => chartKeyOf(setting) === keyOf(setting))
    .map((setting) => [setting.flag, { description: setting.help, ...shapeOf(setting) }] as const);
  return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) };
}

/** Where the chart's values say it; null: nowhere. */
export function chartKeyOf(setting: Setting): string | null {
  const { commands, onLineOnly, chartValue, argument } = setting;
  if (!commands.includes("run") || onLineOnly === true) return null;
  if (chartValue !== undefined) return chartValue;
  return argument === "FILE" ? null : keyOf(setting);
}

function keyOf({ flag }: Setting): string {
  return `settings.${flag}`;
}
