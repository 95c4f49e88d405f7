import type { ReadApi } from "@pdpp/contract/operations";
import { measureToolResult } from "@pdpp/mcp/layout/measure";
import { createLightReader, createReader, type LightReader, type ReaderOptions } from "../../read/reader.ts";

/** Readers that measure `max_chars` by what the MCP tools show, over REST too: `pdpp mcp` lays out what it reads there. */
export type SizedReaderOptions = Omit<ReaderOptions, "measure">;

export const createSizedReader = (options: SizedReaderOptions): ReadApi =>
  createReader({ ...options, measure: measureToolResult });

export const createLightSizedReader = (options: SizedReaderOptions): LightReader =>
  createLightReader({ ...options, measure: measureToolResult });

/** For other readers whose results an agent may see. */
export const measureResult = measureToolResult;
