import { parseInstant } from "@pdpp/contract/instant";
import { h1 } from "../../core/identity.ts";
import { aside, type Importer, type Item, newestOf } from "../../core/importer.ts";
import { eachElement } from "../../core/reading.ts";
import { activityRecord, activityStreams } from "../../core/records/activity.ts";
import { manifest } from "../../core/records/schema.ts";
import { inList } from "../../core/retry.ts";
import { isObject, numberIn, textIn, withoutNulls } from "../../core/text/clean.ts";
import { instantText } from "../../core/time/times.ts";

/** Spotify: what was played, in the form of a year and in that of all time. */
export const spotify: Importer = {
  key: "spotify",
  title: "Spotify",
  version: "1",
  proof: "unproven",
  manifest: manifest("spotify", "Spotify", "1.0.0", activityStreams()),
  about: "events",
  alone: inList,
  sniff: (path, { text }) =>
    /\.json$/i.test(path) &&
    /^\s*\[/.test(text) &&
    ((/"ms_played"\s*:/.test(text) && /"master_metadata_track_name"\s*:/.test(text)) ||
      (/"msPlayed"\s*:/.test(text) && /"endTime"\s*:/.test(text))),
  claims: async (found) => [
    { format: "spotify", label: "Spotify", entries: found, beside: [], exportedAt: newestOf(found), questions: [] },
  ],
  read: (claim, _answers, from) =>
    eachElement(claim, from, function* ({ value, offset, raw }, { path }) {
      yield isObject(value)
        ? played(value, path, offset, raw)
        : aside(path, offset, "not_a_play", "it is not an object", raw);
    }),
};

/** The time is that of the end. */
function played(value: Record<string, unknown>, path: string, offset: number, raw: Uint8Array): Item {
  const written = textIn(value.ts) ?? textIn(value.endTime);
  const end =
    written === null ? Number.NaN : Date.parse(/Z$/.test(written) ? written : `${written.replace(" ", "T")}:00Z`);
  const length = numberIn(value.ms_played) ?? numberIn(value.msPlayed) ?? 0;
  const at = instantText(end - length);
  if (at === null || parseInstant(at) === null)
    return aside(path, offset, "no_such_time", "it does not say when it was played", raw);
  const track = textIn(value.master_metadata_track_name) ?? textIn(value.trackName);
  const artist = textIn(value.master_metadata_album_artist_name) ?? textIn(value.artistName);
  const episode = textIn(value.episode_name);
  const uri = textIn(value.spotify_track_uri) ?? textIn(value.spotify_episode_uri);
  return activityRecord({
    id: h1("spotify", written, length, uri ?? track ?? episode),
    title: track ?? episode,
    source: artist ?? textIn(value.episode_show_name) ?? "Spotify",
    kind: "listened",
    at,
    url: uri === null ? null : `https://open.spotify.com/${uri.replace(/^spotify:/, "").replaceAll(":", "/")}`,
    details: [textIn(value.master_metadata_album_album_name) ?? ""].filter((text) => text !== ""),
    extra: withoutNulls({
      seconds: Math.round(length / 1000),
      platform: textIn(value.platform),
      skipped: value.skipped === true ? true : null,
    }),
  });
}
