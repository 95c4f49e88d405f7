/** Compares two texts word by word. */

export interface Piece {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** Beyond this, only the common start and end are matched, and the middle is one change. */
const maxSteps = 1_000_000;

const splitWords = (text: string): string[] => text.match(/\s+|[^\s]+/gu) ?? [];

export function diffWords(before: string, after: string): Piece[] {
  const [a, b] = [splitWords(before), splitWords(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [gone, added] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return mergePieces([
    { kind: "same", text: a.slice(0, start).join("") },
    ...(gone.length * added.length <= maxSteps ? alignWords(gone, added) : replaceAll(gone, added)),
    { kind: "same", text: a.slice(a.length - end).join("") },
  ]);
}

const replaceAll = (gone: readonly string[], added: readonly string[]): Piece[] => [
  { kind: "gone", text: gone.join("") },
  { kind: "new", text: added.join("") },
];

/** Longest common subsequence. */
function alignWords(gone: readonly string[], added: readonly string[]): Piece[] {
  const width = added.length + 1;
  const lengths = new Uint32Array((gone.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = gone.length - 1; i >= 0; i -= 1)
    for (let j = added.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = gone[i] === added[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < gone.length || j < added.length) {
    const [old, fresh] = [gone[i], added[j]];
    if (old !== undefined && old === fresh) {
      pieces.push({ kind: "same", text: old });
      [i, j] = [i + 1, j + 1];
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      pieces.push({ kind: "gone", text: old });
      i += 1;
    } else if (fresh !== undefined) {
      pieces.push({ kind: "new", text: fresh });
      j += 1;
    }
  }
  return pieces;
}

/** Joins neighbouring pieces of the same kind. Whitespace between two changes becomes part of both, so that they read as words. */
function mergePieces(pieces: readonly Piece[]): Piece[] {
  const all: { kind: Piece["kind"]; text: string }[] = [];
  let waiting: { gone: string; new: string } | undefined;
  const flush = () => {
    if (waiting?.gone) all.push({ kind: "gone", text: waiting.gone });
    if (waiting?.new) all.push({ kind: "new", text: waiting.new });
    waiting = undefined;
  };
  for (const [n, { kind, text }] of pieces.entries()) {
    if (text === "") continue;
    const isGap = kind === "same" && /^\s+$/u.test(text) && waiting !== undefined && pieces[n + 1]?.kind !== "same";
    if (kind !== "same" || (isGap && n + 1 < pieces.length)) {
      waiting ??= { gone: "", new: "" };
      if (kind !== "new") waiting.gone += text;
      if (kind !== "gone") waiting.new += text;
      continue;
    }
    flush();
    const last = all.at(-1);
    if (last?.kind === "same") last.text += text;
    else all.push({ kind, text });
  }
  flush();
  return all;
}
