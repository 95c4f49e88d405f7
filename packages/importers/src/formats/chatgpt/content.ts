import { isObject, toList, toObjects, toText } from "../../core/text/clean.ts";

/** Extracts text from ChatGPT's message types. */

export interface MessageContent {
  readonly text: string;
  readonly thinking: string | null;
  /** Pointers to images and recordings. */
  readonly assets: readonly { readonly pointer: string; readonly sizeBytes: number | null }[];
}

export function extractContent(content: unknown): MessageContent {
  if (!isObject(content)) return { text: "", thinking: null, assets: [] };
  const kind = toText(content.content_type) ?? "text";
  const thoughts = toObjects(content.thoughts);
  if (kind === "thoughts") {
    const lines = thoughts.map((each) => joinTexts([toText(each.summary), toText(each.content)]));
    return { text: "", thinking: joinTexts(lines), assets: [] };
  }
  const parts = toList(content.parts);
  const assets = parts.filter(isObject).flatMap(findAssets);
  const text = joinTexts([
    ...parts.map(getPartText),
    ...(kind === "tether_quote" ? [toText(content.title), toText(content.url)] : []),
    toText(content.text),
    toText(content.result),
    toText(content.content),
    toText(content.user_profile),
    toText(content.user_instructions),
    toText(content.name),
  ]);
  return { text, thinking: null, assets };
}

const joinTexts = (texts: readonly (string | null)[]): string =>
  texts.filter((text): text is string => text !== null && text !== "").join("\n");

function getPartText(part: unknown): string | null {
  if (typeof part === "string") return toText(part);
  if (!isObject(part)) return null;
  return toText(part.text) ?? (isObject(part.transcription) ? toText(part.transcription.text) : null);
}

/** Images point directly at a file; recordings are nested one level deeper. */
function findAssets(part: Record<string, unknown>): { pointer: string; sizeBytes: number | null }[] {
  const own = toText(part.asset_pointer);
  const found =
    own === null ? [] : [{ pointer: own, sizeBytes: typeof part.size_bytes === "number" ? part.size_bytes : null }];
  const inner = [part.audio_asset_pointer, part.video_container_asset_pointer].filter(isObject).flatMap(findAssets);
  return [...found, ...inner];
}

/** `file-service://file-AbC` and `sediment://file_00f` refer to files whose names begin with the id. */
export const parseAssetId = (pointer: string): string => pointer.replace(/^[a-z-]+:\/\//, "").replace(/[?#].*$/, "");

/**
 * Citations appear in the text as private-use markers, and `content_references` says what they are. Replaces them by their text, uses
 * entity names, and removes unknown ones.
 */
export function replaceCitations(text: string, metadata: Record<string, unknown>): string {
  if (!text.includes("\ue200")) return text;
  const shown = new Map<string, string>();
  for (const each of toObjects(metadata.content_references))
    shown.set(toText(each.matched_text) ?? "", toText(each.alt) ?? "");
  return text.replace(/( ?)(\ue200[^\ue200\ue201]*\ue201)/g, (_, space: string, mark: string) => {
    const words = shown.get(mark) || parseEntityName(mark);
    return words === "" ? "" : `${space}${words}`;
  });
}

/** `entity ["city","Paris","capital of France"]`: the app shows the second value. */
const parseEntityName = (mark: string): string => /^\ue200entity\ue202\["[^"]*","([^"]*)"/.exec(mark)?.[1] ?? "";
