// The database of the scripted servers: one table with one number.

export const description = {
  name: "DB",
  tables: { T: { n: { shape: "one", of: "integer" } } },
} as const;

/** The same as the server says it. */
export const schema = {
  name: "DB",
  version: "1.0.0",
  tables: { T: { columns: { n: { type: "integer" } } } },
};

/** Of its one row. */
export const uuid = "550e8400-e29b-41d4-a716-446655440000";
