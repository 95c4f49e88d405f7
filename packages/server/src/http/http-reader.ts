import type { ReadApi } from "@pdpp/contract/operations";
import { measureToolResult } from "@pdpp/mcp/layout/measure";
import { createLightReader, createReader, type LightReader, type ReaderOptions, readPiece } from "../read/reader.ts";

/** Readers for HTTP measure `max_chars` by what the MCP tools show, over REST too: `pdpp mcp` lays out what it reads there. */
export type HttpReaderOptions = Omit<ReaderOptions, "measure">;

export const createHttpReader = (options: HttpReaderOptions): ReadApi =>
  createReader({ ...options, measure: measureToolResult });

export const createLightHttpReader = (options: HttpReaderOptions): LightReader =>
  createLightReader({ ...options, measure: measureToolResult });

export { measureToolResult, readPiece };
