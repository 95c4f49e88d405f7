import { text } from "node:stream/consumers";
import { PdppError } from "@pdpp/contract/errors";
import { getErrorMessage } from "@pdpp/server/system-error";
import { openInput } from "./input.ts";
import { locateJsonError } from "./json-error.ts";
import { parseJson } from "./parse-json.ts";

/** Reads JSON from a file, or from stdin for `-`. Errors include the line and column. */
export async function readJsonFile(file: string): Promise<unknown> {
  const input = await openInput(file);
  const content = (await text(input.bytes)).replace(/^\uFEFF/, "");
  try {
    return parseJson(content);
  } catch (error) {
    const before = content.slice(0, locateJsonError(content)).split("\n");
    const place = `${input.name}:${before.length}:${Array.from(before.at(-1) ?? "").length + 1}`;
    const reason = getErrorMessage(error).replace(/ (in JSON )?at position .*$/s, "");
    throw new PdppError("invalid_request", `${place}: not JSON: ${reason}; fix the file and try again`);
  }
}
