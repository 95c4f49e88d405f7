import type { Json } from "@pdpp/contract/declaration";
import type { Answer } from "./loaded-vault.ts";
import { listVisible } from "./rules/grant.ts";
import { formatPlace, ModelVault } from "./rules/vault.ts";
import type { World } from "./rules/world.ts";
import type { VaultSpec, Write } from "./spec.ts";

/** Canaries mark data so that leaks can be detected: texts contain `CNRY_..._`, numbers start with 773. */
const marks = /CNRY_[a-z0-9]+_|773\d{8}/g;

const findMarks = (text: string): string[] => text.match(marks) ?? [];

/** All canaries; digits that merely look like one, as in a sum, do not count. */
export const listAllMarks = ({ writes, blobs }: VaultSpec): Set<string> =>
  new Set([
    ...writes.flat().flatMap((write) => findMarks(JSON.stringify([write.key, write.data]))),
    ...blobs.flatMap(({ bytes }) => findMarks(Buffer.from(bytes).toString("latin1"))),
  ]);

/** The canaries a token may see now. */
export function listAllowedMarks(world: World): Set<string> {
  const allowed = new Set<string>();
  const allow = (value: Json | undefined) => {
    if (value !== undefined) for (const mark of findMarks(JSON.stringify(value))) allowed.add(mark);
  };
  for (const source of world.sources) {
    for (const record of listVisible(source, world.snapshot)) {
      allow(record.key);
      for (const name of source.fields) {
        const value = record.data[name];
        allow(value);
        const blobField = source.stream.fields.some((field) => field.name === name && field.blob);
        if (blobField) for (const mark of listBlobMarks(world.vault, value)) allowed.add(mark);
      }
    }
  }
  return allowed;
}

/**
 * The canaries of earlier versions a token may see: of records visible now, those versions that were visible
 * themselves.
 */
export function listEarlierMarks(world: World, writes: readonly Write[], now: number): Set<string> {
  const seenNow = new Set(world.sources.flatMap((source) => listVisible(source, world.snapshot).map(formatPlace)));
  const model = new ModelVault(world.vault);
  const marks = new Set<string>();
  for (const write of writes) {
    const place = formatPlace(write);
    const held = seenNow.has(place) ? model.snapshot.get(place) : undefined;
    if (held !== undefined)
      for (const mark of listAllowedMarks({ ...world, snapshot: new Map([[place, held]]) })) marks.add(mark);
    model.write(write, now);
  }
  return marks;
}

function listBlobMarks(vault: VaultSpec, value: Json | undefined): string[] {
  const text = JSON.stringify(value ?? null);
  return vault.blobs
    .filter(({ ref }) => text.includes(ref.blob_id))
    .flatMap(({ bytes }) => findMarks(Buffer.from(bytes).toString("latin1")));
}

/** Canaries in ids only, which a tombstone still reveals. */
export const listAllowedIdMarks = ({ sources, snapshot }: World): Set<string> =>
  new Set(
    sources.flatMap((source) => listVisible(source, snapshot).flatMap(({ key }) => findMarks(JSON.stringify(key)))),
  );

/** Finds canaries in the response that the token may not see and the caller did not send. */
export function findLeaks(
  answer: Answer,
  sent: string,
  allowed: ReadonlySet<string>,
  known: ReadonlySet<string>,
): string[] {
  const said = new Set(unescapeText(sent).flatMap(findMarks));
  const received = [
    Buffer.from(answer.bytes).toString("latin1"),
    ...Object.entries(answer.headers).flat().flatMap(unescapeText),
  ];
  return [...new Set(received.flatMap(findMarks))].filter(
    (mark) => known.has(mark) && !allowed.has(mark) && !said.has(mark),
  );
}

function unescapeText(text: string): string[] {
  try {
    return [text, decodeURIComponent(text)];
  } catch {
    return [text];
  }
}
