import { createHash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import type { Answers, Claim, Importer, Item, Mark, Question } from "../../core/importer.ts";
import {
  createBlob,
  createClaim,
  createFileRecord,
  findCompanions,
  mark,
  maxRawBytes,
  reject,
} from "../../core/items.ts";
import { parseJson } from "../../core/parsing/json.ts";
import { listRemainingEntries } from "../../core/reading.ts";
import { cleanText, isObject, toList, toNumber, toObject, toObjects, toText } from "../../core/text/clean.ts";
import { getFileName, getFolder, guessMimeType, isMedia, isSystemFile } from "../../core/text/paths.ts";
import { formatInstant, formatInZone, formatOffset, parseLocalTime } from "../../core/time/times.ts";
import { readWhole } from "../../tree/damage.ts";
import { type Entry, readHead, type Tree } from "../../tree/tree.ts";
import { type Exif, findExif } from "./exif.ts";
import { photoManifest } from "./manifest.ts";
import { Sidecars } from "./sidecars.ts";

/** Photos: folders of images, and Google Photos with its metadata files. */
export const photos: Importer = {
  key: "photos",
  title: "Photos",
  version: "3",
  testedWith: "unproven",
  manifest: photoManifest,
  mainStream: "media",
  mergeRules: {
    media: {
      union: ["albums", "people"],
      fill: [
        "taken_at",
        "local_time",
        "time_zone_assumed",
        "time_source",
        "description",
        "latitude",
        "longitude",
        "blob_ref",
      ],
    },
  },
  sniff: (path, { text }) => /\.json$/i.test(path) && /^\s*\{/.test(text) && /"photoTakenTime"\s*:/.test(text),
  createClaims: claimFolders,
  claimLeftovers: claimStrays,
  read,
};

/** Folders with metadata files: claim every image in them. */
async function claimFolders(found: readonly Entry[], tree: Tree): Promise<Claim[]> {
  const folders = new Set(found.map(({ path }) => getFolder(path)));
  const albums = await readAlbums(folders, found, tree);
  const named = new Set(albums.map(({ path }) => getFolder(path)));
  const years = [...folders].filter((folder) => !named.has(folder) && hasYearsName(folder));
  return buildClaim(
    tree.entries.filter(({ path }) => folders.has(getFolder(path)) && isMedia(path) && !isSound(path)),
    [...found, ...albums],
    { years: JSON.stringify(years) },
  );
}

/** Album metadata files, whose name depends on the account's language. Google's folders by year have none. */
async function readAlbums(folders: ReadonlySet<string>, found: readonly Entry[], tree: Tree): Promise<Entry[]> {
  const albums: Entry[] = [];
  for (const entry of findCompanions(tree, found, ({ path }) => /\.json$/i.test(path) && folders.has(getFolder(path))))
    if (/^\s*\{\s*"(title|albumData)"\s*:/.test(Buffer.from(await readHead(entry, 256)).toString("utf8")))
      albums.push(entry);
  return albums;
}

/** `Photos from 2024`, `Fotos von 2024`, `2024 年の写真`. */
const hasYearsName = (folder: string): boolean => /^(\D+\d{4}|\d{4}\D+)$/.test(getFileName(folder.slice(0, -1)));

/** Other folders: claim images with camera data, and every image where there is nothing else. */
async function claimStrays(left: readonly Entry[], tree: Tree): Promise<Claim[]> {
  const pictures = left.filter(({ path }) => /^(image|video)\//.test(guessMimeType(path)) && !/\.svg$/i.test(path));
  const isAlbum = tree.entries.every(({ path }) => isMedia(path) || isSystemFile(path));
  if (isAlbum) return buildClaim(pictures, []);
  const taken: Entry[] = [];
  for (const entry of pictures) if ((await loadExif(entry))?.time != null) taken.push(entry);
  return buildClaim(taken, []);
}

const isSound = (path: string): boolean => /^audio\//.test(guessMimeType(path));

function buildClaim(entries: readonly Entry[], companions: readonly Entry[], known: Claim["known"] = {}): Claim[] {
  if (entries.length === 0) return [];
  const question: Question = {
    key: "time_zone",
    text: "In which time zone were the photos taken? Cameras often do not say.",
    defaultAnswer: "UTC",
  };
  return [createClaim("photos", "Photos", entries, { companions, questions: [question], known })];
}

/** EXIF data is at the start of a file. */
const loadExif = async (entry: Entry): Promise<Exif | null> => findExif(Buffer.from(await readHead(entry, 262_144)));

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  const sidecars = new Sidecars(claim.companions);
  const years = new Set(toList(parseJson(claim.known?.years ?? "[]").value));
  for (const { index, entry } of listRemainingEntries(claim, from)) {
    const sidecar = sidecars.find(entry.path);
    const known = sidecar === undefined ? {} : await readSidecar(sidecar);
    if (known === undefined && sidecar !== undefined)
      yield reject(
        sidecar.path,
        0,
        "malformed",
        "cannot read the metadata of the photo",
        await readHead(sidecar, maxRawBytes),
      );
    yield await readPhoto(entry, known ?? {}, answers, findAlbum(entry.path, years));
    yield mark(index + 1, 0);
  }
}

/** Undefined if the file cannot be read. */
async function readSidecar(sidecar: Entry): Promise<Record<string, unknown> | undefined> {
  try {
    const { value, failure } = parseJson((await readWhole(sidecar, 1024 * 1024)).toString("utf8"));
    return failure === undefined ? toObject(value) : undefined;
  } catch {
    return undefined;
  }
}

/** The folder's name, unless it is a folder by year. */
function findAlbum(path: string, years: ReadonlySet<unknown>): string | null {
  const album = getFolder(path).split("/").at(-2) ?? "";
  return album === "" || /^Photos from \d{4}$/.test(album) || years.has(getFolder(path)) ? null : cleanText(album);
}

async function readPhoto(
  entry: Entry,
  known: Record<string, unknown>,
  answers: Answers,
  album: string | null,
): Promise<Item> {
  const hash = createHash("sha256");
  for await (const chunk of entry.bytes()) hash.update(chunk);
  const exif = await loadExif(entry);
  const zone = answers.time_zone ?? "UTC";
  const mimeType = guessMimeType(entry.path);
  const geo = [known.geoData, known.geoDataExif]
    .filter(isObject)
    .find(({ latitude }) => toNumber(latitude) !== 0 && toNumber(latitude) !== null);
  const blob = answers.attachments && entry.size > 0 ? createBlob("blob_ref", mimeType, entry) : undefined;
  return createFileRecord("media", blob, {
    id: hash.digest("hex"),
    name: cleanText(toText(known.title) ?? getFileName(entry.path)),
    ...findTakenAt(exif, known, zone),
    camera:
      [exif?.make, exif?.model]
        .filter((text) => text != null)
        .join(" ")
        .replace(/^(\S+) \1\b/i, "$1") || null,
    description: toText(known.description) || exif?.description || null,
    latitude: toNumber(geo?.latitude) ?? exif?.latitude ?? null,
    longitude: toNumber(geo?.longitude) ?? exif?.longitude ?? null,
    albums: album === null ? [] : [album],
    people: toObjects(known.people)
      .map(({ name }) => toText(name) ?? "")
      .filter((name) => name !== ""),
    is_favorite: known.favorited === true,
    mime_type: mimeType,
    size_bytes: entry.size,
    blob_ref: null,
    extra: {
      ...(known.trashed === true ? { is_trashed: true } : {}),
      ...(known.archived === true ? { is_archived: true } : {}),
    },
  });
}

/**
 * Prefers camera time with its zone, then Google's time, then the zone derived from GPS time, else the assumed zone.
 */
function findTakenAt(exif: Exif | null, known: Record<string, unknown>, zone: string): JsonObject {
  const shown = exif?.time?.replace(/^(\d{4}):(\d\d):(\d\d)/, "$1-$2-$3") ?? "";
  const local = parseLocalTime(shown);
  const localTime = local === null ? null : shown.slice(0, 19).replace(" ", "T");
  const formatTime = (at: string | null, source: string | null, assumed: string | null = null): JsonObject => ({
    taken_at: at,
    local_time: localTime,
    time_zone_assumed: assumed,
    time_source: source,
  });
  if (localTime !== null && /^[+-]\d\d:\d\d$/.test(exif?.offset ?? ""))
    return formatTime(`${localTime}${exif?.offset}`, "camera");
  const seconds = isObject(known.photoTakenTime) ? toNumber(known.photoTakenTime.timestamp) : null;
  if (seconds !== null && seconds !== 0) return formatTime(formatInstant(seconds * 1000), "sidecar");
  if (local === null) return formatTime(null, null);
  if (exif?.satelliteTime != null) {
    const minutes = Math.round((Date.parse(`${localTime}Z`) - exif.satelliteTime) / 900_000) * 15;
    if (Math.abs(minutes) <= 14 * 60) return formatTime(`${localTime}${formatOffset(minutes)}`, "satellites");
  }
  return formatTime(formatInZone(local, zone), "camera", zone);
}
