// The words of a decision, for the pages that the server renders and for the script that updates them.

/**
 * A part of a source: a kind of fields, or a single field.
 * @typedef {{ readonly kind: string, readonly isTicked: boolean, readonly included: readonly string[], readonly missing: string }} Part
 * @typedef {{ readonly label: string, readonly parts: readonly Part[] }} Stream
 * `isLimited`: the row's parts are what a client asked for, or single fields, so a sentence names them.
 * @typedef {{ readonly label: string, readonly isTicked: boolean, readonly isLimited: boolean, readonly streams: readonly Stream[] }} Row
 * @typedef {{ readonly text: string, readonly isName?: boolean }} Piece
 */

const maxWords = 8;
const maxMissing = 3;
const maxNamedRows = 3;

/** @param {readonly string[]} words */
export const joinWords = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

/** @param {string} text */
const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {Row} row */
const isChosen = (row) => row.isTicked && row.streams.some(({ parts }) => parts.some((part) => part.isTicked));

/** @param {readonly string[]} words */
function listWithRest(words) {
  const unique = [...new Set(words)];
  return unique.length <= maxMissing + 1
    ? unique
    : [...unique.slice(0, maxMissing), `${unique.length - maxMissing} more fields`];
}

/**
 * The excluded parts of a chosen source. A sentence about several sources has no room for details.
 * @param {Row} row @param {boolean} withDetails
 */
function listMissing({ streams }, withDetails) {
  return listWithRest(
    streams.flatMap(({ label, parts }) =>
      parts.some(({ isTicked }) => isTicked)
        ? parts
            .filter(({ isTicked, kind }) => !isTicked && (withDetails || kind !== "details"))
            .map(({ missing }) => missing)
        : [label],
    ),
  );
}

/** What is read from the largest of its streams that are. @param {Row} row */
function listIncluded({ streams }) {
  const main = streams.find(({ parts }) => parts.some(({ isTicked }) => isTicked));
  const words = (main?.parts ?? []).filter(({ isTicked }) => isTicked).flatMap(({ included }) => included);
  const unique = [...new Set(words)];
  const shown = unique.length <= maxWords ? unique : [...unique.slice(0, maxWords), `${unique.length - maxWords} more`];
  return joinWords(shown) || main?.label || "";
}

/** @param {Row} row */
const listOthers = ({ streams }) =>
  streams
    .filter(({ parts }) => parts.some(({ isTicked }) => isTicked))
    .slice(1)
    .map(({ label }) => label);

/** One line that says what is read from a source, such as "Senders, dates and texts. No attachments." @param {Row} row */
export function describeRow(row) {
  if (!isChosen(row)) return "";
  const others = listOthers(row);
  const also = others.length === 0 ? "" : ` Also ${joinWords(others)}.`;
  const missing = listMissing(row, true);
  const not = missing.length === 0 ? "" : ` No ${missing.join(", no ")}.`;
  return `${capitalize(listIncluded(row))}.${also}${not}`;
}

/** @param {Row} row */
function describeLimit(row) {
  if (row.isLimited) return ` (${[listIncluded(row), ...listOthers(row)].join("; ")})`;
  const ticked = row.streams.flatMap(({ parts }) => parts.filter(({ isTicked }) => isTicked));
  const missing = listMissing(row, false);
  if (missing.length === 0) return "";
  return ticked.every(({ kind }) => kind === "headings") && missing.length > 1
    ? " (names, dates and titles only)"
    : ` without ${joinWords(missing)}`;
}

/**
 * Describes the access as text and bold names; empty when nothing is chosen.
 * @param {string} client
 * @param {readonly Row[]} rows
 * @param {string} end such as "until 17 December 2026"
 * @param {string} since
 * @returns {Piece[]}
 */
export function buildSentence(client, rows, end, since) {
  const chosen = rows.filter(isChosen);
  if (chosen.length === 0) return [];
  const limits = chosen.map(describeLimit);
  /** @type {Piece[]} */
  const named = [];
  if (chosen.length > maxNamedRows) {
    const isSame = new Set(limits).size === 1;
    named.push({ text: `${chosen.length} sources`, isName: true });
    named.push({ text: isSame ? (limits[0] ?? "") : ", some of them in part" });
  } else {
    const last = limits.some((limit) => limit !== "") ? ", and " : " and ";
    chosen.forEach(({ label }, i) => {
      if (i > 0) named.push({ text: i < chosen.length - 1 ? ", " : last });
      named.push({ text: label, isName: true }, { text: limits[i] ?? "" });
    });
  }
  const dated = since === "" ? "" : `, only items dated on or after ${since}`;
  return [
    { text: `${client} can read ` },
    ...named,
    { text: `${dated}${end === "" ? "" : `, ${end}`}. Anything not selected stays private.` },
  ].filter(({ text }) => text !== "");
}

/** @param {readonly Row[]} rows */
export const countChosen = (rows) => rows.filter(isChosen).length;

/** @param {number} count @param {number} total */
export const formatCounter = (count, total) => (count === 0 ? "none selected" : `${count} of ${total} selected`);

/** @param {number} count */
export const formatSources = (count) => (count === 1 ? "1 source" : `${count} sources`);
