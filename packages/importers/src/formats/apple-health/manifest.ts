import { count, eventTime, extra, manifest, maybeText, stream, text, time, title } from "../../core/records/schema.ts";

const amount = (unit: string, description: string) => ({
  type: ["number", "null"],
  x_pdpp_unit_field: unit,
  description,
});

/** Health: single measurements, and workouts with their routes. */
export const healthManifest = manifest("apple-health", "Apple Health", "1.0.0", [
  stream({
    name: "samples",
    label: "Measurements",
    description: "What was measured: steps, heart rate, sleep, weight. Sums by day and type can be asked for.",
    time: "started_at",
    fields: {
      id: text(),
      type: title(),
      value: { ...amount("unit", "The measurement; null where it is a word."), x_pdpp_role: "amount" },
      unit: maybeText(),
      value_text: maybeText({ description: "A measurement that is a word, such as AsleepCore." }),
      started_at: eventTime(),
      ended_at: time("When it ended; the same as the beginning for a single moment."),
      created_at: time("When it was written down."),
      source: maybeText({ x_pdpp_role: "secondary", description: "The app or device that wrote it." }),
      device: maybeText(),
      extra: extra(),
    },
    search: ["type", "value_text", "source"],
    ranges: ["ended_at", "value"],
    groups: ["type", "unit", "source", "device", "value_text"],
    sums: ["value"],
  }),
  stream({
    name: "workouts",
    label: "Workouts",
    description: "Runs, rides, swims and other workouts.",
    time: "started_at",
    fields: {
      id: text(),
      type: title(),
      started_at: eventTime(),
      ended_at: time("When it ended."),
      duration_minutes: { type: ["number", "null"] },
      distance: { ...amount("distance_unit", "How far."), x_pdpp_role: "amount" },
      distance_unit: maybeText(),
      energy: amount("energy_unit", "Energy that was burned."),
      energy_unit: maybeText(),
      source: maybeText({ x_pdpp_role: "secondary" }),
      device: maybeText(),
      route_points: count("Points of a route that stands in the export itself."),
      route: { type: ["object", "null"], x_pdpp_type: "blob", x_pdpp_role: "blob-reference" },
      extra: extra(),
    },
    search: ["type", "source"],
    ranges: ["duration_minutes", "distance"],
    groups: ["type", "source"],
    sums: ["duration_minutes", "distance", "energy"],
  }),
]);
