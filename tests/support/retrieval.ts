import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Labelled questions that lie beside the project; a clone without them skips what needs them, and says so. */
const file = new URL("../../../shared/retrieval/longmemeval-dev.jsonl.gz", import.meta.url);

export interface LabelledStore {
  id: string;
  docs: { id: string; text: string; who: string; ts: string }[];
  queries: { id: string; q: string; type: string; gold: Record<string, number> }[];
}

export const hasLabelledStores = existsSync(file);

export function labelledStores(): LabelledStore[] {
  const lines = gunzipSync(readFileSync(file)).toString("utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as LabelledStore);
}
