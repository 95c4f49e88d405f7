import { flushCompileCache } from "node:module";
import type { Command } from "commander";
import { findClientCredential } from "../../credentials/credentials.ts";
import { addTopCommand, onRun } from "../../runtime/command.ts";

interface McpOptions {
  readonly providerUrl?: string;
  readonly cacheRoot?: string;
}

/** Node writes its compile cache only on a clean exit, but agents kill this process, so flush it soon after the start. */
const keepCompiledMs = 250;

export function addMcp(program: Command): void {
  const mcp = addTopCommand(program, "mcp", ["pdpp mcp", "pdpp mcp --provider-url http://127.0.0.1:7663"])
    .option("--provider-url <url>", "server to read from (default: the only one with a saved grant)")
    .option("--cache-root <dir>", "folder with saved grants (default: ~/.pdpp)");
  onRun(mcp, async ({ options }: { options: McpOptions }) => {
    const { providerUrl, accessToken } = findClientCredential({ ...options, env: process.env, refuseOwner: true });
    const { serveMcpOnStdio } = await import("@pdpp/mcp/stdio");
    serveMcpOnStdio({ url: providerUrl, token: accessToken });
    setTimeout(flushCompileCache, keepCompiledMs).unref();
  });
}
