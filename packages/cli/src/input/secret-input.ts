import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { getErrorMessage } from "@pdpp/server/system-error";
import { UsageError } from "../runtime/failure.ts";

/** Secrets come from a prompt, a file or standard input. Arguments can be seen by other users of the machine. */

export const hasTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Reads a line without showing it. */
export async function askHidden(question: string, signal?: AbortSignal): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // From here on the terminal does not show what is typed, also by people who are quick.
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(question);
  try {
    return await terminal.question("", signal === undefined ? {} : { signal });
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}

/** The content of a file without the line end that editors add. */
export function readSecretFile(file: string, what: string): string {
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read the ${what}: ${getErrorMessage(error)}`);
  }
  const secret = content.replace(/\r?\n$/, "");
  if (secret === "") throw new UsageError(`${file} is empty; put the ${what} into it`);
  return secret;
}

export const readStandardInput = async (): Promise<string> => (await text(process.stdin)).replace(/\r?\n$/, "");
