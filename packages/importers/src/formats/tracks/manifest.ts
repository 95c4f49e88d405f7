import * as field from "../../core/records/field.ts";
import { defineManifest, defineStream } from "../../core/records/schema.ts";

const listAlongLine = (description: string) => ({
  type: "array",
  items: { type: ["number", "null"] },
  description,
});

/** Activities with a track, recorded by a watch, a bike computer or an app. */
export const trackManifest = defineManifest("tracks", "Tracks", "1.0.0", [
  defineStream({
    name: "activities",
    label: "Activities",
    description: "Runs, rides, walks and routes, with where they led.",
    time: "started_at",
    fields: {
      id: field.text(),
      name: field.title(),
      kind: field.text({ description: "track, route, or waypoints: places without a way between them." }),
      sport: field.maybeText({ x_pdpp_role: "secondary" }),
      description: field.body(),
      device: field.maybeText({ description: "What recorded it." }),
      started_at: field.eventTime(),
      ended_at: field.time("When it ended."),
      distance: {
        ...field.number("Along the track."),
        x_pdpp_unit_field: "distance_unit",
        x_pdpp_role: "amount",
      },
      distance_unit: field.text({ description: "Always m." }),
      moving_seconds: field.number("As the device counted them."),
      elapsed_seconds: field.number("From beginning to end."),
      ascent_meters: field.number("Climbed altogether."),
      average_heart_rate: field.number("Beats in a minute."),
      max_heart_rate: field.number("Beats in a minute."),
      average_watts: field.number("Power."),
      calories: field.number("As the device counted them."),
      point_count: field.count("Points of the track."),
      start_latitude: field.number("Where it began."),
      start_longitude: field.number("Where it began."),
      line: {
        type: "array",
        items: { type: "array", items: { type: "number" } },
        description: "The way in at most a hundred points: latitude, longitude.",
      },
      line_heights: listAlongLine("Metres above sea level at each point of `line`; empty if none was recorded."),
      line_seconds: listAlongLine("Seconds since the start at each point of `line`; empty if none was recorded."),
      line_gaps: {
        type: "array",
        items: { type: "integer" },
        description: "Points of `line`, counted from 0, before which nothing was recorded for a while.",
      },
      file: field.blobReference(),
      extra: field.extra(),
    },
    presentation: {
      kind: "track",
      fields: {
        end: "ended_at",
        latitude: "start_latitude",
        longitude: "start_longitude",
        line: "line",
        line_heights: "line_heights",
        line_seconds: "line_seconds",
        line_gaps: "line_gaps",
        distance: "distance",
        duration: "elapsed_seconds",
        ascent: "ascent_meters",
      },
    },
    search: ["name", "description", "sport"],
    ranges: ["distance", "elapsed_seconds", "ascent_meters"],
    groups: ["sport", "device", "kind"],
    sums: ["distance", "moving_seconds", "elapsed_seconds", "ascent_meters", "calories"],
  }),
]);
