import type { Json } from "@pdpp/contract/declaration";
import type { Answer } from "./loaded-vault.ts";
import { seenBy } from "./model-grant.ts";
import { ModelVault, placeOf } from "./model-vault.ts";
import type { World } from "./model-world.ts";
import type { VaultSpec, Write } from "./spec.ts";

/** Canaries mark data so that leaks can be detected: texts contain `CNRY_..._`, numbers start with 773. */
const marks = /CNRY_[a-z0-9]+_|773\d{8}/g;

const marksIn = (text: string): string[] => text.match(marks) ?? [];

/** All canaries; digits that merely look like one, as in a sum, do not count. */
export const allMarks = ({ writes, blobs }: VaultSpec): Set<string> =>
  new Set([
    ...writes.flat().flatMap((write) => marksIn(JSON.stringify([write.key, write.data]))),
    ...blobs.flatMap(({ bytes }) => marksIn(Buffer.from(bytes).toString("latin1"))),
  ]);

/** The canaries a token may see now. */
export function allowedMarks(world: World): Set<string> {
  const allowed = new Set<string>();
  const allow = (value: Json | undefined) => {
    if (value !== undefined) for (const mark of marksIn(JSON.stringify(value))) allowed.add(mark);
  };
  for (const source of world.sources) {
    for (const record of seenBy(source, world.snapshot)) {
      allow(record.key);
      for (const name of source.fields) {
        const value = record.data[name];
        allow(value);
        const blobField = source.stream.fields.some((field) => field.name === name && field.blob);
        if (blobField) for (const mark of blobMarks(world.vault, value)) allowed.add(mark);
      }
    }
  }
  return allowed;
}

/**
 * The canaries of earlier versions a token may see: of records visible now, those versions that were visible
 * themselves.
 */
export function earlierMarks(world: World, writes: readonly Write[], now: number): Set<string> {
  const seenNow = new Set(world.sources.flatMap((source) => seenBy(source, world.snapshot).map(placeOf)));
  const model = new ModelVault(world.vault);
  const marks = new Set<string>();
  for (const write of writes) {
    const place = placeOf(write);
    const held = seenNow.has(place) ? model.snapshot.get(place) : undefined;
    if (held !== undefined)
      for (const mark of allowedMarks({ ...world, snapshot: new Map([[place, held]]) })) marks.add(mark);
    model.write(write, now);
  }
  return marks;
}

function blobMarks(vault: VaultSpec, value: Json | undefined): string[] {
  const text = JSON.stringify(value ?? null);
  return vault.blobs
    .filter(({ ref }) => text.includes(ref.blob_id))
    .flatMap(({ bytes }) => marksIn(Buffer.from(bytes).toString("latin1")));
}

/** Canaries in ids only, which a tombstone still reveals. */
export const allowedIdMarks = ({ sources, snapshot }: World): Set<string> =>
  new Set(sources.flatMap((source) => seenBy(source, snapshot).flatMap(({ key }) => marksIn(JSON.stringify(key)))));

/** Finds canaries in the response that the token may not see and the caller did not send. */
export function leaks(
  answer: Answer,
  sent: string,
  allowed: ReadonlySet<string>,
  known: ReadonlySet<string>,
): string[] {
  const said = new Set(unescaped(sent).flatMap(marksIn));
  const received = [
    Buffer.from(answer.bytes).toString("latin1"),
    ...Object.entries(answer.headers).flat().flatMap(unescaped),
  ];
  return [...new Set(received.flatMap(marksIn))].filter(
    (mark) => known.has(mark) && !allowed.has(mark) && !said.has(mark),
  );
}

function unescaped(text: string): string[] {
  try {
    return [text, decodeURIComponent(text)];
  } catch {
    return [text];
  }
}
