import { createHash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import { placesIn } from "../../core/files.ts";
import {
  type Answers,
  aside,
  besideOf,
  type Claim,
  type Importer,
  type Item,
  type Mark,
  mark,
  newestOf,
} from "../../core/importer.ts";
import { cleanText, isObject, listIn, numberIn, textIn } from "../../core/text/clean.ts";
import { folderOf, isMedia, isTrifle, mimeTypeOf, nameOf } from "../../core/text/paths.ts";
import { instantText, localTimeOf, zonedText } from "../../core/time/times.ts";
import { wholeOf } from "../../tree/damage.ts";
import { type Entry, headOf, type Tree } from "../../tree/tree.ts";
import { type Exif, exifIn } from "./exif.ts";
import { photoManifest } from "./manifest.ts";
import { Sidecars } from "./sidecars.ts";

/** Photos: folders of pictures, and Google Photos with what it knows of each in a file beside it. */
export const photos: Importer = {
  key: "photos",
  title: "Photos",
  version: "2",
  proof: "unproven",
  manifest: photoManifest,
  about: "media",
  merge: {
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
  claims,
  strays,
  read,
};

/** With sidecars: every picture of their folders. */
async function claims(found: readonly Entry[], tree: Tree): Promise<Claim[]> {
  const folders = new Set(found.map(({ path }) => folderOf(path)));
  const albums = await albumsIn(folders, found, tree);
  const named = new Set(albums.map(({ path }) => folderOf(path)));
  const years = [...folders].filter((folder) => !named.has(folder) && hasYearsName(folder));
  return claimOf(
    tree.entries.filter(({ path }) => folders.has(folderOf(path)) && isMedia(path) && !isSound(path)),
    [...found, ...albums],
    { years: JSON.stringify(years) },
  );
}

/** What tells of an album, under a name in the account's language. The folders that Google makes for years have none. */
async function albumsIn(folders: ReadonlySet<string>, found: readonly Entry[], tree: Tree): Promise<Entry[]> {
  const albums: Entry[] = [];
  for (const entry of besideOf(tree, found, ({ path }) => /\.json$/i.test(path) && folders.has(folderOf(path))))
    if (/^\s*\{\s*"(title|albumData)"\s*:/.test(Buffer.from(await headOf(entry, 256)).toString("utf8")))
      albums.push(entry);
  return albums;
}

/** `Photos from 2024`, `Fotos von 2024`, `2024 年の写真`. */
const hasYearsName = (folder: string): boolean => /^(\D+\d{4}|\d{4}\D+)$/.test(nameOf(folder.slice(0, -1)));

/** Without: what a camera took; and every picture where there is nothing but pictures. */
async function strays(left: readonly Entry[], tree: Tree): Promise<Claim[]> {
  const pictures = left.filter(({ path }) => /^(image|video)\//.test(mimeTypeOf(path)) && !/\.svg$/i.test(path));
  const isAlbum = tree.entries.every(({ path }) => isMedia(path) || isTrifle(path));
  if (isAlbum) return claimOf(pictures, []);
  const taken: Entry[] = [];
  for (const entry of pictures) if ((await exifOf(entry))?.time != null) taken.push(entry);
  return claimOf(taken, []);
}

const isSound = (path: string): boolean => /^audio\//.test(mimeTypeOf(path));

function claimOf(entries: readonly Entry[], beside: readonly Entry[], known: Claim["known"] = {}): Claim[] {
  if (entries.length === 0) return [];
  const question = {
    key: "time_zone" as const,
    text: "In which time zone were the photos taken? Cameras often do not say.",
    usual: "UTC",
  };
  return [
    { format: "photos", label: "Photos", entries, beside, exportedAt: newestOf(entries), questions: [question], known },
  ];
}

/** What a camera wrote stands at the beginning. */
const exifOf = async (entry: Entry): Promise<Exif | null> => exifIn(Buffer.from(await headOf(entry, 262_144)));

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  const sidecars = new Sidecars(claim.beside);
  const years = new Set<string>(JSON.parse(claim.known?.years ?? "[]"));
  for (const { index, entry } of placesIn(claim, from)) {
    const sidecar = sidecars.of(entry.path);
    let known: Record<string, unknown> = {};
    if (sidecar !== undefined) {
      try {
        const value: unknown = JSON.parse((await wholeOf(sidecar, 1024 * 1024)).toString("utf8"));
        if (isObject(value)) known = value;
      } catch {
        yield aside(
          sidecar.path,
          0,
          "malformed",
          "what is known of the picture cannot be read",
          await headOf(sidecar, 65_536),
        );
      }
    }
    yield await photo(entry, known, answers, albumOf(entry.path, years));
    yield mark(index + 1, 0);
  }
}

/** The folder it lies in, unless it is one of a year. */
function albumOf(path: string, years: ReadonlySet<string>): string | null {
  const album = folderOf(path).split("/").at(-2) ?? "";
  return album === "" || /^Photos from \d{4}$/.test(album) || years.has(folderOf(path)) ? null : cleanText(album);
}

async function photo(
  entry: Entry,
  known: Record<string, unknown>,
  answers: Answers,
  album: string | null,
): Promise<Item> {
  const hash = createHash("sha256");
  for await (const chunk of entry.bytes()) hash.update(chunk);
  const exif = await exifOf(entry);
  const zone = answers.time_zone ?? "UTC";
  const mimeType = mimeTypeOf(entry.path);
  const geo = [known.geoData, known.geoDataExif]
    .filter(isObject)
    .find(({ latitude }) => numberIn(latitude) !== 0 && numberIn(latitude) !== null);
  return {
    kind: "record",
    stream: "media",
    data: {
      id: hash.digest("hex"),
      name: cleanText(textIn(known.title) ?? nameOf(entry.path)),
      ...takenAt(exif, known, zone),
      camera:
        [exif?.make, exif?.model]
          .filter((text) => text != null)
          .join(" ")
          .replace(/^(\S+) \1\b/i, "$1") || null,
      description: textIn(known.description) || exif?.description || null,
      latitude: numberIn(geo?.latitude) ?? exif?.latitude ?? null,
      longitude: numberIn(geo?.longitude) ?? exif?.longitude ?? null,
      albums: album === null ? [] : [album],
      people: listIn(known.people)
        .filter(isObject)
        .map(({ name }) => textIn(name) ?? "")
        .filter((name) => name !== ""),
      is_favorite: known.favorited === true,
      mime_type: mimeType,
      size_bytes: entry.size,
      blob_ref: null,
      extra: {
        ...(known.trashed === true ? { is_trashed: true } : {}),
        ...(known.archived === true ? { is_archived: true } : {}),
      },
    },
    ...(answers.attachments && entry.size > 0
      ? { blob: { field: "blob_ref", mimeType, bytes: () => entry.bytes() } }
      : {}),
  };
}

/** The camera's clock with its zone is best; then what Google knows; then what the satellites tell of the zone; else the zone is assumed. */
function takenAt(exif: Exif | null, known: Record<string, unknown>, zone: string): JsonObject {
  const shown = exif?.time?.replace(/^(\d{4}):(\d\d):(\d\d)/, "$1-$2-$3") ?? "";
  const local = localTimeOf(shown);
  const localTime = local === null ? null : shown.slice(0, 19).replace(" ", "T");
  const time = (at: string | null, source: string | null, assumed: string | null = null): JsonObject => ({
    taken_at: at,
    local_time: localTime,
    time_zone_assumed: assumed,
    time_source: source,
  });
  if (localTime !== null && /^[+-]\d\d:\d\d$/.test(exif?.offset ?? ""))
    return time(`${localTime}${exif?.offset}`, "camera");
  const seconds = isObject(known.photoTakenTime) ? numberIn(known.photoTakenTime.timestamp) : null;
  if (seconds !== null && seconds !== 0) return time(instantText(seconds * 1000), "sidecar");
  if (local === null) return time(null, null);
  if (exif?.satelliteTime != null) {
    const minutes = Math.round((Date.parse(`${localTime}Z`) - exif.satelliteTime) / 900_000) * 15;
    if (Math.abs(minutes) <= 14 * 60) {
      const size = Math.abs(minutes);
      const two = (n: number): string => String(n).padStart(2, "0");
      return time(
        `${localTime}${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`,
        "satellites",
      );
    }
  }
  return time(zonedText(local, zone), "camera", zone);
}
