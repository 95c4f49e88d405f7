import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

export const readPage = (name: string): string =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

/** The commands on a page. */
export const findShellBlocks = (page: string): string[] =>
  [...page.matchAll(/^```sh\n([\s\S]+?)^```/gm)].map(([, block = ""]) => block);

export interface BashResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function runBash(script: string, env: NodeJS.ProcessEnv, cwd?: string): Promise<BashResult> {
  return new Promise((resolve) => {
    execFile(
      "bash",
      ["-euo", "pipefail", "-c", script],
      { env, maxBuffer: 1 << 26, ...(cwd === undefined ? {} : { cwd }) },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** A page's headings as GitHub anchors. */
export const listAnchors = (page: string): string[] =>
  [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
