import { parseInstant } from "@pdpp/contract/instant";
import { deriveId } from "../../core/identity.ts";
import type { Importer, Item } from "../../core/importer.ts";
import { createClaim, reject } from "../../core/items.ts";
import { readElements } from "../../core/reading.ts";
import { createActivityRecord, defineActivityFormat } from "../../core/records/activity.ts";
import { wrapInArray } from "../../core/retry.ts";
import { dropNulls, isObject, toNumber, toText } from "../../core/text/clean.ts";
import { formatInstant } from "../../core/time/times.ts";

/** Spotify listening history, of the last year or extended. */
export const spotify: Importer = {
  ...defineActivityFormat("spotify", "Spotify"),
  version: "1",
  testedWith: "unproven",
  toStandaloneFile: wrapInArray,
  sniff: (path, { text }) =>
    /\.json$/i.test(path) &&
    /^\s*\[/.test(text) &&
    ((/"ms_played"\s*:/.test(text) && /"master_metadata_track_name"\s*:/.test(text)) ||
      (/"msPlayed"\s*:/.test(text) && /"endTime"\s*:/.test(text))),
  createClaims: async (found) => [createClaim("spotify", "Spotify", found)],
  read: (claim, _answers, from) =>
    readElements(claim, from, function* ({ value, offset, raw }, { path }) {
      yield isObject(value)
        ? createPlay(value, path, offset, raw)
        : reject(path, offset, "not_a_play", "not a JSON object", raw);
    }),
};

/** The time in the file is when playback ended. */
function createPlay(value: Record<string, unknown>, path: string, offset: number, raw: Uint8Array): Item {
  const written = toText(value.ts) ?? toText(value.endTime);
  const end =
    written === null ? Number.NaN : Date.parse(/Z$/.test(written) ? written : `${written.replace(" ", "T")}:00Z`);
  const length = toNumber(value.ms_played) ?? toNumber(value.msPlayed) ?? 0;
  const at = formatInstant(end - length);
  if (at === null || parseInstant(at) === null) return reject(path, offset, "no_such_time", "no time played", raw);
  const track = toText(value.master_metadata_track_name) ?? toText(value.trackName);
  const artist = toText(value.master_metadata_album_artist_name) ?? toText(value.artistName);
  const episode = toText(value.episode_name);
  const uri = toText(value.spotify_track_uri) ?? toText(value.spotify_episode_uri);
  return createActivityRecord({
    id: deriveId("spotify", written, length, uri ?? track ?? episode),
    title: track ?? episode,
    source: artist ?? toText(value.episode_show_name) ?? "Spotify",
    kind: "listened",
    at,
    url: uri === null ? null : `https://open.spotify.com/${uri.replace(/^spotify:/, "").replaceAll(":", "/")}`,
    details: [toText(value.master_metadata_album_album_name) ?? ""].filter((text) => text !== ""),
    extra: dropNulls({
      seconds: Math.round(length / 1000),
      platform: toText(value.platform),
      skipped: value.skipped === true ? true : null,
    }),
  });
}
