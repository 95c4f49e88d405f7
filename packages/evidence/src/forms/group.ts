import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Aggregation } from "@pdpp/contract/wire";
import { encodedRuns } from "../binary.ts";
import { charLength } from "../text.ts";
import { literal } from "./call.ts";
import type { Form } from "./size.ts";

/** A group of an aggregation in the two forms of a tool's result. */
export const groupForm = ({ key, count }: NonNullable<Aggregation["groups"]>[number]): Form => ({
  lines: [`${valueText(key)}: ${count}`],
  objects: [{ ...valueObject("key", key), count }],
});

/** Bytes written as text are told of, not shown; a record that has them shows how to read them. */
const isBytes = (value: Json): value is string => typeof value === "string" && encodedRuns(value).length > 0;

export const valueObject = (name: "key" | "value", value: Json): JsonObject =>
  isBytes(value) ? { [name]: null, encoded_chars: charLength(value) } : { [name]: value };

export const valueText = (value: Json): string =>
  isBytes(value) ? `(bytes as text, ${charLength(value)} chars, not shown)` : literal(value);
