import { createHash } from "node:crypto";
import { getStrictEntry, tolerateDamage } from "../tree/damage.ts";
import { type Entry, readHead, type Tree } from "../tree/tree.ts";
import type { Claim, Head, Importer } from "./importer.ts";
import { isMedia, isSystemFile } from "./text/paths.ts";
import { findUnsupportedAdvice } from "./unsupported-exports.ts";

/** Detects formats by file content. */

const maxHeadBytes = 65_536;

export interface Detection {
  readonly claims: readonly { readonly importer: Importer; readonly claim: Claim }[];
  readonly unrecognized: readonly { readonly path: string; readonly code: string; readonly reason: string }[];
}

/**
 * Offers each file to the importers in order; the first that recognizes it gets it. `recall` names the importer of a file that was
 * recognized before and is the same, which saves opening it.
 */
export async function detect(
  given: Tree,
  importers: readonly Importer[],
  recall: (entry: Entry) => Importer | undefined = () => undefined,
): Promise<Detection> {
  const tree = tolerateDamage(given);
  const found = new Map<Importer, Entry[]>();
  const advised = new Map<string, string | undefined>();
  const unreadable: { path: string; code: string; reason: string }[] = [...tree.unreadable];
  for (const entry of tree.entries) {
    if (isMedia(entry.path) || entry.size === 0) continue;
    let importer = recall(entry);
    if (importer === undefined) {
      let head: Head;
      try {
        head = parseHead(await readHead(getStrictEntry(entry), maxHeadBytes));
      } catch (error) {
        unreadable.push({
          path: entry.path,
          code: "unreadable",
          reason: error instanceof Error ? error.message : String(error),
        });
        continue;
      }
      importer = importers.find((each) => each.sniff(entry.path, head));
      if (importer === undefined) advised.set(entry.path, findAdvice(entry.path, head, importers));
    }
    const others = importer === undefined ? undefined : found.get(importer);
    if (others !== undefined) others.push(entry);
    else if (importer !== undefined) found.set(importer, [entry]);
  }
  const claims: { importer: Importer; claim: Claim }[] = [];
  for (const importer of importers) {
    const entries = found.get(importer);
    if (entries === undefined) continue;
    for (const claim of await importer.createClaims(entries, tree)) claims.push({ importer, claim });
  }
  for (const importer of importers) {
    if (importer.claimLeftovers === undefined) continue;
    const known = new Set(claims.flatMap(({ claim }) => [...claim.entries, ...claim.companions]));
    const left = tree.entries.filter((entry) => !known.has(entry) && entry.size > 0);
    for (const claim of await importer.claimLeftovers(left, tree)) claims.push({ importer, claim });
  }
  const looked = new Set(claims.flatMap(({ claim }) => claim.companions.map(({ path }) => path)));
  return {
    claims: claims.filter(({ claim }) => !isInsideAttachment(claim, looked)),
    unrecognized: listUnrecognized(tree, claims, unreadable, advised),
  };
}

function findAdvice(path: string, head: Head, importers: readonly Importer[]): string | undefined {
  const unsupported = findUnsupportedAdvice(path, head);
  if (unsupported !== undefined) return unsupported;
  for (const importer of importers) {
    const advice = importer.advise?.(path, head);
    if (advice !== undefined) return advice;
  }
  return undefined;
}

/** An archive that somebody sent in a chat is an attachment, not an export. */
const isInsideAttachment = (claim: Claim, companions: ReadonlySet<string>): boolean =>
  claim.entries.some(({ inside }) => inside !== undefined && companions.has(inside));

function parseHead(bytes: Uint8Array): Head {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return { bytes, text: new TextDecoder(isUtf16 ? "utf-16le" : "utf-8").decode(bytes) };
}

function listUnrecognized(
  tree: Tree,
  claims: readonly { claim: Claim }[],
  unreadable: readonly { path: string; code: string; reason: string }[],
  advised: ReadonlyMap<string, string | undefined>,
): Detection["unrecognized"] {
  const known = new Set(claims.flatMap(({ claim }) => [...claim.entries, ...claim.companions].map(({ path }) => path)));
  const faulty = new Set(unreadable.map(({ path }) => path));
  const opened = new Set(tree.entries.flatMap(({ inside }) => inside ?? []));
  // An archive whose entries are reported is not reported itself.
  for (const { path } of unreadable)
    for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1)) opened.add(path.slice(0, end));
  const handled = new Set([...known, ...faulty, ...opened]);
  const rest = tree.entries.filter(({ path }) => !handled.has(path) && !isSystemFile(path));
  return [
    ...unreadable,
    ...rest.map(({ path, size }) => {
      const advice = advised.get(path);
      if (size === 0) return { path, code: "empty", reason: "the file is empty" };
      if (advice !== undefined) return { path, code: "other_form", reason: advice };
      const reason = isMedia(path) ? "not referenced by anything in the export" : "unrecognized format";
      return { path, code: "unknown", reason };
    }),
  ];
}

/**
 * Identifies an export by names, sizes, and archive checksums (or the ends of plain files). Equal fingerprints mean the same export.
 * `recallEnds` returns the ends of a file that is the same as before.
 */
export async function computeFingerprint(
  claim: Claim,
  recallEnds: (entry: Entry) => string | undefined = () => undefined,
): Promise<string> {
  const hash = createHash("sha256");
  for (const entry of claim.entries) {
    const ends = entry.crc === undefined ? (recallEnds(entry) ?? (await digestEnds(entry))) : "";
    hash.update(`${entry.path}\0${entry.size}\0${entry.crc ?? ""}\0${ends}\0`);
  }
  return hash.digest("hex");
}

/** A digest of the beginning and the end of a file. */
export async function digestEnds(entry: Entry): Promise<string> {
  const hash = createHash("sha256").update(await readHead(entry, maxHeadBytes));
  if (entry.size > maxHeadBytes)
    for await (const chunk of entry.bytes(Math.max(maxHeadBytes, entry.size - maxHeadBytes))) hash.update(chunk);
  return hash.digest("base64url").slice(0, 32);
}
