import { deriveId } from "../../core/identity.ts";
import { createActivityRecord, defineActivityStreams } from "../../core/records/activity.ts";
import { defineManifest } from "../../core/records/schema.ts";
import { dropNulls, toNumber } from "../../core/text/clean.ts";
import { getFileName, getFolder } from "../../core/text/paths.ts";
import { formatInZone, formatLocalTime } from "../../core/time/times.ts";
import { createRecipeImporter, parseLocalDay, type Row } from "./recipe.ts";

const requireValue = (row: Row, column: string): string => {
  const text = row.value(column);
  if (text === null) throw new Error(`it has no ${column}`);
  return text;
};

/** Netflix viewing history, in the app's short form and the long form of a data request. */
export const netflix = createRecipeImporter({
  key: "netflix",
  title: "Netflix",
  manifest: defineManifest("netflix", "Netflix", "1.0.0", defineActivityStreams()),
  mainStream: "events",
  sheets: [
    {
      columns: ["Title", "Date"],
      day: "Date",
      isLocal: true,
      *read(row) {
        const title = requireValue(row, "Title");
        const local = parseLocalDay(row.value("Date"), row.order);
        yield createActivityRecord({
          id: row.numbered(deriveId("netflix", formatLocalTime(local), title)),
          title,
          source: "Netflix",
          kind: "watched",
          at: formatInZone(local, row.zone),
          localTime: formatLocalTime(local).slice(0, 10),
          zone: row.zone,
        });
      },
    },
    {
      columns: ["Profile Name", "Start Time", "Duration", "Title", "Device Type"],
      also: ["Attributes", "Supplemental Video Type", "Bookmark", "Latest Bookmark", "Country"],
      *read(row) {
        const title = requireValue(row, "Title");
        const start = requireValue(row, "Start Time");
        yield createActivityRecord({
          id: row.numbered(deriveId("netflix", row.value("Profile Name"), start, title)),
          title,
          source: row.value("Profile Name") ?? "Netflix",
          kind: row.value("Supplemental Video Type") === null ? "watched" : "watched a trailer",
          at: formatInZone(parseLocalDay(start, "ymd"), "UTC"),
          details: [row.value("Device Type") ?? ""].filter((text) => text !== ""),
          extra: dropNulls({ duration: row.value("Duration"), country: row.value("Country") }),
        });
      },
    },
  ],
});

/** Goodreads bookshelves. */
export const goodreads = createRecipeImporter({
  key: "goodreads",
  title: "Goodreads",
  manifest: defineManifest("goodreads", "Goodreads", "1.0.0", defineActivityStreams()),
  mainStream: "events",
  sheets: [
    {
      columns: ["Book Id", "Title", "Author", "My Rating", "Date Read", "Date Added", "Exclusive Shelf"],
      also: "any",
      isLocal: true,
      *read(row) {
        const id = requireValue(row, "Book Id");
        const shelf = row.value("Exclusive Shelf") ?? "read";
        const local = parseLocalDay(row.value("Date Read") ?? row.value("Date Added"), "ymd");
        const rating = toNumber(row.value("My Rating"));
        yield createActivityRecord({
          id,
          title: requireValue(row, "Title"),
          source: "Goodreads",
          kind: shelf,
          at: formatInZone(local, row.zone),
          localTime: formatLocalTime(local).slice(0, 10),
          zone: row.zone,
          text: row.value("My Review"),
          url: `https://www.goodreads.com/book/show/${id}`,
          details: [row.value("Author"), ...(row.value("Bookshelves") ?? "").split(",")]
            .map((text) => text?.trim() ?? "")
            .filter((text) => text !== ""),
          extra: dropNulls({
            rating: rating === 0 ? null : rating,
            isbn: row.value("ISBN13")?.replace(/[="]/g, "") || null,
            pages: toNumber(row.value("Number of Pages")),
            year: toNumber(row.value("Original Publication Year")),
            private_note: row.value("Private Notes"),
          }),
        });
      },
    },
  ],
});

/** Letterboxd: the film diary, watched films and the watchlist. */
const readFilm = function* (row: Row) {
  const uri = requireValue(row, "Letterboxd URI");
  const watched = row.value("Watched Date");
  const local = parseLocalDay(watched ?? row.value("Date"), "ymd");
  const list = watched !== null ? "diary" : getFileName(row.path).replace(/\.csv$/i, "");
  // Deleted items and likes are in their own folders of the export.
  const folder = getFileName(getFolder(row.path).slice(0, -1)).toLowerCase();
  if (folder === "deleted" || folder === "orphaned") {
    yield { kind: "skipped" as const, path: row.path, reason: "it was deleted in the app" };
    return;
  }
  const rating = toNumber(row.value("Rating"));
  yield createActivityRecord({
    id: deriveId("letterboxd", list, uri),
    title: requireValue(row, "Name"),
    source: "Letterboxd",
    kind:
      folder === "likes" ? "liked" : list === "watchlist" ? "wants to watch" : list === "ratings" ? "rated" : "watched",
    at: formatInZone(local, row.zone),
    localTime: formatLocalTime(local).slice(0, 10),
    zone: row.zone,
    text: row.value("Review"),
    url: uri,
    details: (row.value("Tags") ?? "")
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
    extra: dropNulls({
      rating,
      year: toNumber(row.value("Year")),
      rewatch: row.value("Rewatch") === "Yes" ? true : null,
    }),
  });
};

export const letterboxd = createRecipeImporter({
  key: "letterboxd",
  title: "Letterboxd",
  manifest: defineManifest("letterboxd", "Letterboxd", "1.0.0", defineActivityStreams()),
  mainStream: "events",
  // A film in the diary may have a review in another file.
  mergeRules: { events: { fill: ["text"], union: ["details"] } },
  sheets: [
    {
      columns: ["Date", "Name", "Year", "Letterboxd URI"],
      also: ["Rating", "Rewatch", "Tags", "Watched Date", "Review"],
      isLocal: true,
      read: readFilm,
    },
  ],
});
