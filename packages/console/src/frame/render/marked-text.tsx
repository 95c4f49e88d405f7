import type { SearchResult } from "@pdpp/contract/wire";
import { findMarks } from "@pdpp/evidence/passages/marks";
import { sliceChars } from "@pdpp/evidence/text/text";
import type { Html } from "../frame.tsx";
import { renderVerbatim } from "./values.tsx";

/** Renders text with the words of a search marked. */
export type RenderWords = (text: string) => Html;

const maxWords = 50;

/** The words that matched, as the records have them, such as "foghorns" for "foghorn". */
export function listMatchedWords(hits: readonly SearchResult[]): string[] {
  const words = hits.flatMap(({ evidence }) =>
    evidence.flatMap((passage) =>
      findMarks(passage).map(({ start, end }) => sliceChars(passage.preview, start, end).toLowerCase()),
    ),
  );
  return [...new Set(words)].filter((word) => word.trim() !== "").slice(0, maxWords);
}

export function createWordMarker(words: readonly string[]): RenderWords {
  if (words.length === 0) return renderVerbatim;
  const longestFirst = words.toSorted((a, b) => b.length - a.length).map((word) => RegExp.escape(word));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  return (text) => {
    const parts: Html[] = [];
    let at = 0;
    for (const { 0: word, index } of text.matchAll(pattern)) {
      parts.push(
        <>
          {renderVerbatim(text.slice(at, index))}
          <mark>{renderVerbatim(word)}</mark>
        </>,
      );
      at = index + word.length;
    }
    return (
      <>
        {parts}
        {renderVerbatim(text.slice(at))}
      </>
    );
  };
}
