import { createCall, type ToolCall } from "./layout/call.ts";

/** The same call with another cursor. */
export const callNextPage = (tool: string, args: { readonly [name: string]: unknown }, cursor: string): ToolCall =>
  createCall(tool, { ...args, cursor });
