import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { PdppError } from "@pdpp/contract/errors";

/** A path that a person typed on a page, where there is no current folder. */
export function parsePath(input: string, example: string): string {
  const path = input.trim().replace(/^~(?=\/|$)/, homedir());
  if (isAbsolute(path) && !path.includes("\0")) return resolve(path);
  throw new PdppError("invalid_argument", `use an absolute path, such as ${example}`, { param: "path" });
}
