import type { Json } from "@pdpp/contract/declaration";
import { listVisible } from "../../model/rules/grant.ts";
import type { World } from "../../model/rules/world.ts";
import type { BlobSpec } from "../../model/spec.ts";
import type { Rebuilt } from "../results/rebuilt.ts";

/** Compares the rebuilt texts of stored files with their bytes. */

export interface BlobTexts {
  readonly faults: readonly string[];
  readonly characters: number;
  /** Paths of texts that cannot be read: not text, or missing. */
  isUnreadable(id: string, path: string): boolean;
}

export function compareBlobTexts({ vault, sources, snapshot }: World, rebuilt: Rebuilt): BlobTexts {
  const faults: string[] = [];
  const unreadable = new Set<string>();
  let characters = 0;
  for (const source of sources) {
    const fields = source.stream.fields.filter(({ name, blob }) => blob && source.fields.has(name));
    for (const record of listVisible(source, snapshot)) {
      const id = `${record.connectionId}/${record.stream}:${record.key}`;
      for (const { name } of fields) {
        for (const { path, ref } of findReferences(name, record.data[name])) {
          const blob = vault.blobs.find(({ ref: { blob_id } }) => blob_id === ref.blob_id);
          const text = blob === undefined ? null : decodeText(blob, String(ref.mime_type));
          if (text === null) unreadable.add(JSON.stringify([id, path]));
          // HTML is reduced to its text; here it only has to be readable to its end.
          const held = rebuilt.records.get(id)?.get(path);
          const shown = held?.text();
          if (text === null || text === undefined) continue;
          if (shown === undefined) faults.push(`${path} of ${JSON.stringify(id)} was not shown whole`);
          else if (differs(shown, [...text])) faults.push(`${path} of ${JSON.stringify(id)} differs`);
          else characters += shown.length;
        }
      }
    }
  }
  return { faults, characters, isUnreadable: (id, path) => unreadable.has(JSON.stringify([id, path])) };
}

const differs = (shown: readonly (string | null)[], chars: readonly string[]): boolean =>
  shown.some((char, i) => char !== null && char !== chars[i]);

/** The first eight references of a field are shown with their texts; those in a list by index. */
function findReferences(name: string, value: Json | undefined): { path: string; ref: Record<string, Json> }[] {
  const plain = /^[\w-]+$/.test(name) ? name : `[${JSON.stringify(name)}]`;
  const items = Array.isArray(value) ? value.slice(0, 8) : [value];
  return items.flatMap((item, i) => {
    if (typeof item !== "object" || item === null || Array.isArray(item) || typeof item.blob_id !== "string") return [];
    if (!/^(text\/|application\/json)/.test(String(item.mime_type))) return [];
    return [{ path: Array.isArray(value) ? `${plain}[${i}]{text}` : `${plain}{text}`, ref: item }];
  });
}

/** Null: not text. Undefined: text that is shown reduced. */
function decodeText({ bytes }: BlobSpec, mime: string): string | null | undefined {
  if (mime.startsWith("text/html")) return undefined;
  try {
    const text = new TextDecoder(/charset=([\w-]+)/.exec(mime)?.[1] ?? "utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
