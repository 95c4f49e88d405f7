import type { JsonObject } from "@pdpp/contract/declaration";
import type { ReadApi } from "@pdpp/contract/operations";
import type { z } from "zod";

/** What a tool says, twice: each form is complete alone, because hosts differ in which one the model sees. */
export interface Answer {
  readonly structured: JsonObject;
  readonly text: string;
  /** For programs, and never needed. */
  readonly meta?: JsonObject;
}

export interface ToolContext {
  readonly api: ReadApi;
  /** Where the vault is served. */
  readonly origin: string;
  /** A word that nobody who wrote a record could foresee, the same for the same parts. */
  nonce(...parts: readonly (string | number)[]): string;
}

type JsonType = "object" | "array" | "string" | "integer" | "boolean";

export interface Tool<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: S;
  /** The keys of the structured form with what they hold; an error has `error` alone. */
  readonly output: { readonly [key: string]: JsonType };
  /** Another name for an argument, from a widespread convention. */
  readonly aliases?: { readonly [name: string]: string };
  call(context: ToolContext, args: z.infer<S>): Promise<Answer>;
}

/** A tool whose arguments are typed by its own schema. */
export const defineTool = <S extends z.ZodObject>(tool: Tool<S>): Tool => tool as unknown as Tool;
