import type { ReadApi } from "@pdpp/contract/operations";
import { measureToolResult } from "@pdpp/mcp/layout/measure";
import { createReader } from "../../read/reader.ts";

/** A reader that measures `max_chars` by what the MCP tools show, over REST too: `pdpp mcp` lays out what it reads there. */
export const createSizedReader = (options: Omit<Parameters<typeof createReader>[0], "measure">): ReadApi =>
  createReader({ ...options, measure: measureToolResult });
