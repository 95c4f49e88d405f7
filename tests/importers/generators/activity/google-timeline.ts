import { googleTimeline } from "#importers/formats/google-timeline/google-timeline";
import { createEndlessFile, type Dice, type Generator } from "../generator.ts";

const formatTime = (n: number, more = 0): string =>
  new Date(Date.UTC(2024, 0, 1) + n * 3_600_000 + more * 60_000).toISOString();
const formatDegrees = (dice: Dice): string => `${48 + dice.int(0, 99_999) / 1e5}°, ${11 + dice.int(0, 99_999) / 1e5}°`;

/** As an Android phone writes it. */
function drawSegment(dice: Dice, n: number): Record<string, unknown> {
  const times = { startTime: formatTime(n), endTime: formatTime(n, 40) };
  if (n % 3 === 0) {
    const top = {
      placeId: `p${n % 5}`,
      semanticType: "HOME",
      probability: 0.8,
      placeLocation: { latLng: formatDegrees(dice) },
    };
    return { ...times, visit: { hierarchyLevel: 0, topCandidate: top } };
  }
  if (n % 3 === 1) {
    const activity = {
      start: { latLng: formatDegrees(dice) },
      end: { latLng: formatDegrees(dice) },
      distanceMeters: dice.int(1, 9999),
      topCandidate: { type: "WALKING", probability: 0.6 },
    };
    return { ...times, activity };
  }
  return { ...times, timelinePath: [1, 2, 3].map((m) => ({ point: formatDegrees(dice), time: formatTime(n, m) })) };
}

const drawSignal = (dice: Dice, n: number): unknown =>
  n % 2 === 0
    ? {
        position: {
          LatLng: formatDegrees(dice),
          accuracyMeters: 12,
          altitudeMeters: 520.5,
          timestamp: formatTime(n, 7),
        },
      }
    : { wifiScan: { deliveryTime: formatTime(n) } };

export const googleTimelineGenerator: Generator = {
  importer: googleTimeline,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawSegment(dice, n));
    const signals = Array.from({ length: size }, (_, n) => drawSignal(dice, n));
    // Somebody was still at home when the older one was made.
    const later = all.map((each, n) => (n === 6 ? { ...each, endTime: formatTime(6, 55) } : each));
    return {
      older: { "Zeitachse.json": JSON.stringify({ semanticSegments: all, rawSignals: signals }) },
      newer: {
        "Timeline.json": JSON.stringify(
          { semanticSegments: [...later.slice(3), drawSegment(dice, size * 2)] },
          null,
          2,
        ),
      },
    };
  },
  hostile(dice) {
    const items = [
      JSON.stringify(drawSegment(dice, 0)),
      '{"startTime": "yesterday", "visit": {}}',
      '{"startTime": "2024-01-01T00:00:00Z", "visit": {"topCandidate": {"placeLocation": {"latLng": "948.1°, 11.5°"}}}}',
      "[[[]]]",
      "{broken}",
      JSON.stringify(drawSegment(dice, 1)),
    ];
    const phone = [
      {
        startTime: formatTime(1),
        endTime: formatTime(2),
        visit: { topCandidate: { placeID: "x", placeLocation: "geo:48.1,11.5" } },
      },
      {
        startTime: formatTime(3),
        endTime: formatTime(4),
        timelinePath: [
          { point: "geo:48.2,11.6", durationMinutesOffsetFromStartTime: "9" },
          { point: "geo:48.1,11.5", durationMinutesOffsetFromStartTime: "2" },
          { point: "nowhere", durationMinutesOffsetFromStartTime: "1e9" },
        ],
      },
    ];
    const records = [
      { timestampMs: "1437263846012", latitudeE7: 376955289, longitudeE7: -1219287261, accuracy: 45 },
      { timestampMs: "1e999", latitudeE7: 1, longitudeE7: 1 },
      { timestamp: formatTime(5), latitudeE7: 376955289, longitudeE7: 4294967295 },
    ];
    return {
      files: {
        "Timeline.json": `{"semanticSegments": [${items.join(",")}, {"startTime": "20`,
        "location-history.json": JSON.stringify(phone),
        "Records.json": JSON.stringify({ locations: records }),
      },
      good: 7,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("Timeline.json", bytes, (n) => JSON.stringify(drawSegment(dice, n)), [
      '{"semanticSegments": [',
      ",",
      "]}",
    ]),
};
