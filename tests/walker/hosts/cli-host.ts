import { runInProcess } from "@pdpp/test-support/cli/run-in-process";
import type { RunResult } from "@pdpp/test-support/cli/run-pdpp";
import { findLeaks } from "../../model/canaries.ts";
import type { LoadedVault } from "../../model/loaded-vault.ts";
import type { ClientOf } from "../client.ts";
import { forged } from "../vaults/hostile-text.ts";
import { WalkError } from "../walk.ts";

/** The command line and the vault in this process. */

const providerUrl = "http://127.0.0.1:7663";

export interface Screen {
  /** A terminal gets cards by default, and must not be controlled by them. */
  readonly terminal?: boolean;
}

async function runCommand(
  vault: LoadedVault,
  token: string,
  words: readonly string[],
  { terminal = false }: Screen = {},
): Promise<RunResult> {
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const answer = await vault.get("", pathname + search, { headers: init?.headers as Record<string, string> });
    return new Response(answer.bytes as Uint8Array<ArrayBuffer>, { status: answer.status, headers: answer.headers });
  };
  try {
    const env = { PDPP_ACCESS_TOKEN: token, PDPP_PROVIDER_URL: providerUrl, NO_COLOR: "1" };
    return await runInProcess(words, { env, terminal });
  } finally {
    globalThis.fetch = real;
  }
}

/** Runs a command and checks what must hold for every output. */
export async function runChecked(client: ClientOf, words: readonly string[], screen: Screen = {}): Promise<RunResult> {
  const { vault, token, marks, tally } = client;
  const fault = (what: string): WalkError => new WalkError(`${what}\n  after ${JSON.stringify(words).slice(0, 1500)}`);
  if (words.some((word) => word.startsWith(forged))) throw fault("a record's text passed for a command");
  const ran = await runCommand(vault, token, words, screen);
  tally.calls += 1;
  tally.canaries += marks.all.size;
  const bytes = Buffer.from(ran.stdout + ran.stderr);
  const leaked = findLeaks({ status: 0, headers: {}, bytes }, words.join(" "), marks.allowed, marks.all);
  if (leaked.length > 0) throw fault(`leaks ${leaked.join(", ")}`);
  const steering = screen.terminal ? steersTerminal.exec(ran.stdout + ran.stderr) : null;
  if (steering !== null) throw fault(`a terminal was sent ${JSON.stringify(steering[0])}`);
  if (vault.bugs.length > 0) throw fault(`the server failed: ${String((vault.bugs[0] as Error).stack)}`);
  return ran;
}

/** Control characters other than newlines and tabs, and bidi controls. */
const steersTerminal = /(?![\t\n])\p{Cc}(?<!\r(?=\n))|[\u202a-\u202e\u2066-\u2069]/u;
