import { randomBytes } from "node:crypto";
import type { ReadApi } from "@pdpp/contract/operations";
import { callTool } from "./server.ts";

/** The text a model reads when it calls a tool. */
export interface ToolText {
  readonly text: string;
  readonly isError: boolean;
}

/**
 * Runs one tool call and returns the text an agent would see. The markers around record text are unique to the call.
 */
export async function runTool(
  api: ReadApi,
  origin: string,
  tool: string,
  args: Record<string, unknown>,
  onBug: (error: unknown) => void,
): Promise<ToolText> {
  const nonce = randomBytes(6).toString("hex");
  const result = await callTool({ api, origin, nonce: () => nonce }, "none", tool, args, onBug);
  const text = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return { text, isError: result.isError === true };
}
