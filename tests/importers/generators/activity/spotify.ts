import { spotify } from "#importers/formats/spotify/spotify";
import { createEndlessFile, type Dice, drawSentence, type Generator, people } from "../generator.ts";

function play(dice: Dice, n: number): Record<string, unknown> {
  const end = new Date(Date.UTC(2024, 0, 1) + n * 300_000).toISOString();
  if (n % 4 === 3)
    return {
      endTime: end.slice(0, 16).replace("T", " "),
      artistName: dice.pick(people),
      trackName: drawSentence(dice, 2),
      msPlayed: 61_000,
    };
  return {
    ts: end.replace(".000", ""),
    platform: "android",
    ms_played: dice.int(1000, 300_000),
    ip_addr: "192.0.2.1",
    master_metadata_track_name: drawSentence(dice, 3),
    master_metadata_album_artist_name: dice.pick(people),
    master_metadata_album_album_name: drawSentence(dice, 2),
    spotify_track_uri: `spotify:track:${n}`,
    skipped: n % 2 === 0,
  };
}

export const spotifyGenerator: Generator = {
  importer: spotify,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => play(dice, n));
    const changed = all.slice(0, 2).map((each) => ({ ...each, platform: "web_player" }));
    const added = [play(dice, size * 2), play(dice, size * 2 + 1)];
    const buildFile = (items: readonly object[]): string => JSON.stringify(items, null, 1);
    return {
      older: { "Streaming_History_Audio_2024_0.json": buildFile(all) },
      newer: { "Streaming_History_Audio_2024_1.json": buildFile([...changed, ...all.slice(2, -2), ...added]) },
    };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => JSON.stringify(play(dice, n)));
    const odd = '{"ts": "2024-01-01T00:00:00Z", "ms_played": 1e300, "master_metadata_track_name": "\\u0000"}';
    return {
      files: {
        "history.json": `[${good[0]}, 7, {"ts": "never", "ms_played": 5}, ${good[1]}, ${odd}, {broken}, ${good[2]}, {"ts": "cut`,
      },
      good: 3,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("history.json", bytes, (n) => JSON.stringify(play(dice, n)), ["[", ",", "]"]),
};
