import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Labelled questions that lie beside the project; a clone without them skips what needs them, and says so. */
const fileOf = (set: string): URL => new URL(`../../../shared/retrieval/${set}.jsonl.gz`, import.meta.url);

export interface LabelledStore {
  id: string;
  docs: { id: string; text: string; who: string; ts: string }[];
  queries: { id: string; q: string; type: string; gold: Record<string, number> }[];
}

/** Chats with an assistant; meetings of several people. */
export const labelledSets = ["longmemeval-dev", "qmsum"] as const;

export const hasLabelledStores = labelledSets.every((set) => existsSync(fileOf(set)));

export function labelledStores(set: string): LabelledStore[] {
  const lines = gunzipSync(readFileSync(fileOf(set)))
    .toString("utf8")
    .split("\n");
  return lines.filter((line) => line !== "").map((line): LabelledStore => JSON.parse(line));
}

/** A store is one connection with one stream. */
export const turnsManifest = {
  connector_key: "turns",
  version: "1",
  streams: [
    {
      name: "turns",
      primary_key: ["id"],
      schema: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "string" }, who: { type: "string" }, text: { type: "string" } },
      },
      query: { search: { lexical_fields: ["text"] } },
    },
  ],
};
