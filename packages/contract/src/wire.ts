/** Response schemas. Objects are open: a server may send more than a client knows. */

export * from "./wire/aggregation.ts";
export * from "./wire/envelope.ts";
export * from "./wire/records.ts";
export * from "./wire/schema.ts";
export * from "./wire/search.ts";
