import type { JsonObject } from "@pdpp/contract/declaration";
import type { ReadApi } from "@pdpp/contract/operations";
import type { z } from "zod";

/**
 * A tool's result as text and as an object. Each is complete alone, because hosts differ in which one the model sees.
 */
export interface Answer {
  readonly structured: JsonObject;
  readonly text: string;
  /** Optional extras for programs. */
  readonly meta?: JsonObject;
}

export interface ToolContext {
  readonly api: ReadApi;
  /** The vault's URL. */
  readonly origin: string;
  /** A word that no author of a record can foresee, the same for the same parts. */
  nonce(...parts: readonly (string | number)[]): string;
}

type JsonType = "object" | "array" | "string" | "integer" | "boolean";

export interface Tool<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: S;
  /** Keys of the object with their types; an error only has `error`. */
  readonly output: { readonly [key: string]: JsonType };
  /** Alternative argument names from common conventions. */
  readonly aliases?: { readonly [name: string]: string };
  call(context: ToolContext, args: z.infer<S>): Promise<Answer>;
}

/** Types a tool's arguments by its own schema. */
export const defineTool = <S extends z.ZodObject>(tool: Tool<S>): Tool => tool as unknown as Tool;
