import type { SourceAccess, StreamAccess } from "@pdpp/consent/access";
import { joinWords } from "../../../assets/sentence.js";

/** Error messages are lower-case fragments; on a page they are sentences. */
export const asSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

const formatStreamAccess = ({ words, groups }: StreamAccess): string =>
  joinWords(words.length === 0 ? groups.flatMap(({ fields }) => fields) : words);

export function formatSourceAccess({ isComplete, streams }: SourceAccess): string {
  if (isComplete) return "everything";
  return streams
    .map((stream) =>
      streams.length === 1 ? formatStreamAccess(stream) : `${stream.label} (${formatStreamAccess(stream)})`,
    )
    .join("; ");
}
