import { createHash } from "node:crypto";
import { placesIn, wordsOf } from "../../core/files.ts";
import { h1 } from "../../core/identity.ts";
import {
  type Answers,
  aside,
  type Claim,
  type Importer,
  type Item,
  type Mark,
  mark,
  newestOf,
} from "../../core/importer.ts";
import { cleanText } from "../../core/text/clean.ts";
import { folderOf, nameOf } from "../../core/text/paths.ts";
import type { Entry, Tree } from "../../tree/tree.ts";
import { trackManifest } from "./manifest.ts";
import { isTrackFile, type ReadFile, readTrackFile, trackType } from "./reading.ts";
import { isStrava, stravaActivities } from "./strava.ts";
import { measures } from "./track.ts";

/** Tracks: GPX, TCX and FIT files, and Strava's archive, which holds all of them. */
export const tracks: Importer = {
  key: "tracks",
  title: "Tracks (GPX, TCX, FIT, Strava)",
  version: "2",
  proof: "real files",
  manifest: trackManifest,
  about: "activities",
  merge: { activities: { fill: ["file"] } },
  sniff: (path, head) => isStrava(path, head.text) || isTrackFile(path, head),
  claims,
  read,
};

async function claims(found: readonly Entry[], tree: Tree): Promise<Claim[]> {
  const archives = found.filter(({ path }) => /\.csv$/i.test(path));
  const roots = archives.map(({ path }) => folderOf(path));
  const isInArchive = ({ path }: Entry): boolean => roots.some((root) => path.startsWith(`${root}activities/`));
  // Routes of Apple Health belong to its workouts.
  const health = new Set(tree.entries.filter(({ path }) => /\.xml$/i.test(path)).map(({ path }) => folderOf(path)));
  const isOfHealth = ({ path }: Entry): boolean => {
    const folder = folderOf(path);
    return folder.endsWith("workout-routes/") && health.has(folder.slice(0, -"workout-routes/".length));
  };
  const plain = found.filter((entry) => !/\.csv$/i.test(entry.path) && !isInArchive(entry) && !isOfHealth(entry));
  const claim = (label: string, entries: readonly Entry[], beside: readonly Entry[]): Claim => ({
    format: "tracks",
    label,
    entries,
    beside,
    exportedAt: newestOf(entries),
    questions: [],
  });
  return [
    ...archives.map((entry) => {
      const root = folderOf(entry.path);
      const beside = tree.entries.filter(({ path }) => path !== entry.path && path.startsWith(root));
      return claim("Strava", [entry], beside);
    }),
    ...(plain.length === 0 ? [] : [claim("Tracks", plain, [])]),
  ];
}

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  for (const { index, entry, start } of placesIn(claim, from)) {
    if (/\.csv$/i.test(entry.path)) yield* stravaActivities({ claim, entry, index, start, answers });
    else yield* fileItems(entry, answers);
    yield mark(index + 1, 0);
  }
}

/** Every track of a file, known by the file's bytes. */
async function* fileItems(entry: Entry, answers: Answers): AsyncGenerator<Item> {
  let file: ReadFile;
  try {
    file = await readTrackFile(entry);
  } catch (error) {
    yield aside(entry.path, 0, "malformed", `the file cannot be read: ${wordsOf(error)}`);
    return;
  }
  if (file.found.length === 0) {
    if (file.fault === null)
      yield { kind: "skipped", path: entry.path, reason: file.note ?? "there is no track in it" };
    else yield aside(entry.path, 0, "malformed", `the file cannot be read: ${file.fault}`);
    return;
  }
  const hash = createHash("sha256");
  for await (const chunk of entry.bytes()) hash.update(chunk);
  const digest = hash.digest("hex");
  for (const [n, { kind, track }] of file.found.entries()) {
    yield {
      kind: "record",
      stream: "activities",
      data: {
        id: h1("track", digest, n),
        name: track.name ?? cleanText(nameOf(entry.path).replace(/\.(gpx|tcx|fit)(\.gz)?$/i, "")),
        kind,
        sport: track.sport,
        description: track.description,
        device: track.device,
        ...measures(track),
        file: null,
        extra: file.fault === null ? {} : { note: `the file is not whole: ${file.fault}` },
      },
      ...(answers.attachments && n === 0
        ? { blob: { field: "file", mimeType: trackType(entry.path), bytes: () => entry.bytes() } }
        : {}),
    };
  }
}
