import * as field from "../../core/records/field.ts";
import { definePlace, definePointStream } from "../../core/records/point.ts";
import { defineManifest, defineStream } from "../../core/records/schema.ts";

export const timelineManifest = defineManifest("google-timeline", "Google Timeline", "1.0.0", [
  defineStream({
    name: "visits",
    label: "Visits",
    description: "Places where you stayed for a while.",
    time: "started_at",
    fields: {
      id: field.text(),
      place: field.title(),
      kind: field.maybeText({ x_pdpp_role: "secondary", description: "What the place is to you: HOME, WORK, ..." }),
      started_at: field.eventTime(),
      ended_at: field.time("When you left."),
      ...definePlace("Location"),
      address: field.maybeText(),
      place_id: field.maybeText({ description: "Google's id of the place." }),
      extra: field.extra(),
    },
    presentation: {
      kind: "place",
      fields: { end: "ended_at", latitude: "latitude", longitude: "longitude", place: "place" },
    },
    search: ["place", "address", "kind"],
    groups: ["place", "kind"],
    distinct: ["place_id"],
  }),
  defineStream({
    name: "trips",
    label: "Trips",
    description: "Journeys from one place to another.",
    time: "started_at",
    fields: {
      id: field.text(),
      mode: field.title(),
      started_at: field.eventTime(),
      ended_at: field.time("When it ended."),
      start_latitude: field.number("Latitude of the start."),
      start_longitude: field.number("Longitude of the start."),
      end_latitude: field.number("Latitude of the end."),
      end_longitude: field.number("Longitude of the end."),
      distance_m: field.number("Distance in metres."),
      extra: field.extra(),
    },
    presentation: {
      kind: "track",
      fields: {
        end: "ended_at",
        latitude: "start_latitude",
        longitude: "start_longitude",
        end_latitude: "end_latitude",
        end_longitude: "end_longitude",
        distance: "distance_m",
      },
    },
    search: ["mode"],
    ranges: ["distance_m"],
    groups: ["mode"],
    sums: ["distance_m"],
  }),
  definePointStream("The list in the export: path, signal or record."),
]);
