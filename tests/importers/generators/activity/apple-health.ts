import { appleHealth } from "#importers/formats/apple-health/apple-health";
import { createEndlessFile, type Dice, type Generator } from "../generator.ts";

interface Sample {
  readonly n: number;
  readonly value: number;
  readonly note: string;
}

const types = [
  ["HKQuantityTypeIdentifierHeartRate", "count/min"],
  ["HKQuantityTypeIdentifierStepCount", "count"],
  ["HKQuantityTypeIdentifierVO2Max", "mL/min·kg"],
] as const;

const sample = (dice: Dice, n: number): Sample => ({ n, value: dice.int(40, 180), note: "first" });

const formatTime = (n: number, more = 0): string =>
  `${new Date(Date.UTC(2024, 0, 1) + n * 600_000 + more * 1000).toISOString().slice(0, 19).replace("T", " ")} +0100`;

/** Every third is a word; some hold more than attributes. The device's address is another in every export. */
function buildRecord({ n, value, note }: Sample, address: string): string {
  const [type, unit] = types[n % 3] ?? types[0];
  const device = `device="&lt;&lt;HKDevice: 0x${address}&gt;, name:Apple Watch, manufacturer:Apple Inc., hardware:Watch6,4&gt;"`;
  const times = `creationDate="${formatTime(n, 99)}" startDate="${formatTime(n)}" endDate="${formatTime(n, 60)}"`;
  if (n % 3 === 2)
    return ` <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Zoë’s Phone &amp; Co" ${times} value="HKCategoryValueSleepAnalysisAsleepCore"/>\n`;
  return ` <Record type="${type}" sourceName="Watch" sourceVersion="10.1" ${device} unit="${unit}" ${times} value="${value}">\n  <MetadataEntry key="HKWasUserEntered" value="${note}"/>\n </Record>\n`;
}

const buildWorkout = (n: number, distance: number): string =>
  ` <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="32.5" durationUnit="min" sourceName="Watch" creationDate="${formatTime(n)}" startDate="${formatTime(n)}" endDate="${formatTime(n, 1950)}">\n  <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" startDate="${formatTime(n)}" endDate="${formatTime(n, 1950)}" sum="${distance}" unit="km"/>\n  <WorkoutRoute sourceName="Watch"><FileReference path="/workout-routes/route_${n}.gpx"/></WorkoutRoute>\n </Workout>\n`;

const opening =
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [\n<!-- HealthKit Export Version: 14 -->\n<!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>\n]>\n<HealthData locale="en_DE">\n <ExportDate value="DATE +0100"/>\n <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-02-02"/>\n';

const route = (n: number): string =>
  `<gpx version="1.1"><trk><trkseg><trkpt lat="52.5${n}" lon="13.4"><time>2024-01-01T00:00:00Z</time></trkpt></trkseg></trk></gpx>`;

export const appleHealthGenerator: Generator = {
  importer: appleHealth,
  pair(dice, size) {
    const all = Array.from({ length: size * 3 }, (_, n) => sample(dice, n));
    const changed = all.slice(0, 2).map((each) => ({ ...each, note: "again" }));
    const added = [sample(dice, size * 3), sample(dice, size * 3 + 1)];
    const buildFiles = (samples: readonly Sample[], day: string, address: string, workouts: readonly string[]) => ({
      "apple_health_export/export.xml": `${opening.replace("DATE", `${day} 10:00:00`)}${samples.map((each) => buildRecord(each, address)).join("")}${workouts.join("")}</HealthData>\n`,
      "apple_health_export/workout-routes/route_900.gpx": route(1),
    });
    return {
      older: buildFiles(all, "2024-02-01", "28a1", [buildWorkout(900, 5.5), buildWorkout(901, 7)]),
      newer: buildFiles([...changed, ...all.slice(2, -2), ...added], "2024-05-01", "77ff", [
        buildWorkout(900, 5.5),
        buildWorkout(950, 3),
      ]),
    };
  },
  hostile(dice) {
    const good = [0, 1, 2, 3].map((n) => buildRecord(sample(dice, n), "0"));
    const bad = [
      ' <Record type="HKQuantityTypeIdentifierStepCount" value="5" startDate="2024-02-31 10:00:00 +0100"/>\n',
      ' <Record value="5" startDate="2024-02-01 10:00:00 +0100"/>\n',
      ' <Record type="never closed" value="1">\n',
      ' <Record type="a" value="<"/>\n',
      ' <Record type="HKQuantityTypeIdentifierStepCount" unit="&#0;" value="1e999" startDate="2024-02-01 10:00:00 +0100"/>\n',
      ' <Workout workoutActivityType="x" startDate="yesterday"/>\n',
    ];
    const text = good.map((each, n) => `${each}${bad[n] ?? ""}`).join("") + bad.slice(4).join("");
    return { files: { "export.xml": `${opening}${text} <Record type="cut` }, good: 4 };
  },
  endless: (dice, bytes) =>
    createEndlessFile("export.xml", bytes, (n) => buildRecord(sample(dice, n), "1"), [opening, "", "</HealthData>"]),
};
