import { createHash } from "node:crypto";
import { deriveId } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { createBlob, createClaim, createFileRecord, mark, reject } from "../../core/items.ts";
import { listRemainingEntries } from "../../core/reading.ts";
import { cleanText } from "../../core/text/clean.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import type { Entry, Tree } from "../../tree/tree.ts";
import { trackManifest } from "./manifest.ts";
import { detectTrackType, isTrackFile, type ReadFile, readTrackFile } from "./reading.ts";
import { isStrava, readStravaActivities } from "./strava.ts";
import { summarizeTrack } from "./track.ts";

/** Tracks: GPX, TCX and FIT files, and Strava's archive, which contains all of them. */
export const tracks: Importer = {
  key: "tracks",
  title: "Tracks (GPX, TCX, FIT, Strava)",
  version: "3",
  testedWith: "real files",
  manifest: trackManifest,
  mainStream: "activities",
  mergeRules: { activities: { fill: ["file"] } },
  sniff: (path, head) => isStrava(path, head.text) || isTrackFile(path, head),
  createClaims: claimTracks,
  read,
};

async function claimTracks(found: readonly Entry[], tree: Tree): Promise<Claim[]> {
  const archives = found.filter(({ path }) => /\.csv$/i.test(path));
  const roots = archives.map(({ path }) => getFolder(path));
  const isInArchive = ({ path }: Entry): boolean => roots.some((root) => path.startsWith(`${root}activities/`));
  // Routes of Apple Health belong to its workouts.
  const health = new Set(tree.entries.filter(({ path }) => /\.xml$/i.test(path)).map(({ path }) => getFolder(path)));
  const isOfHealth = ({ path }: Entry): boolean => {
    const folder = getFolder(path);
    return folder.endsWith("workout-routes/") && health.has(folder.slice(0, -"workout-routes/".length));
  };
  const plain = found.filter((entry) => !/\.csv$/i.test(entry.path) && !isInArchive(entry) && !isOfHealth(entry));
  const claim = (label: string, entries: readonly Entry[], companions: readonly Entry[]): Claim =>
    createClaim("tracks", label, entries, { companions });
  return [
    ...archives.map((entry) => {
      const root = getFolder(entry.path);
      const companions = tree.entries.filter(({ path }) => path !== entry.path && path.startsWith(root));
      return claim("Strava", [entry], companions);
    }),
    ...(plain.length === 0 ? [] : [claim("Tracks", plain, [])]),
  ];
}

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  for (const { index, entry, start } of listRemainingEntries(claim, from)) {
    if (/\.csv$/i.test(entry.path)) yield* readStravaActivities({ claim, entry, index, start, answers });
    else yield* readFileItems(entry, answers);
    yield mark(index + 1, 0);
  }
}

/** The tracks of a file, identified by its digest. */
async function* readFileItems(entry: Entry, answers: Answers): AsyncGenerator<Item> {
  let file: ReadFile;
  try {
    file = await readTrackFile(entry);
  } catch (error) {
    return yield reject(entry.path, 0, "malformed", `cannot read the file: ${describeError(error)}`);
  }
  if (file.found.length === 0)
    return yield file.failure === null
      ? { kind: "skipped", path: entry.path, reason: file.note ?? "contains no track" }
      : reject(entry.path, 0, "malformed", `cannot read the file: ${file.failure}`);
  const hash = createHash("sha256");
  for await (const chunk of entry.bytes()) hash.update(chunk);
  const digest = hash.digest("hex");
  const blob = answers.attachments ? createBlob("file", detectTrackType(entry.path), entry) : undefined;
  for (const [n, { kind, track }] of file.found.entries()) {
    yield createFileRecord("activities", n === 0 ? blob : undefined, {
      id: deriveId("track", digest, n),
      name: track.name ?? cleanText(getFileName(entry.path).replace(/\.(gpx|tcx|fit)(\.gz)?$/i, "")),
      kind,
      sport: track.sport,
      description: track.description,
      device: track.device,
      ...summarizeTrack(track),
      file: null,
      extra: file.failure === null ? {} : { note: `the file is not whole: ${file.failure}` },
    });
  }
}
