import { eventTime, extra, manifest, maybeText, number, stream, text, time, title } from "../../core/records/schema.ts";

const place = (which: string) => ({
  latitude: number(`${which}, in degrees north.`),
  longitude: number(`${which}, in degrees east.`),
});

export const timelineManifest = manifest("google-timeline", "Google Timeline", "1.0.0", [
  stream({
    name: "visits",
    label: "Visits",
    description: "Places where somebody stayed for a while.",
    time: "started_at",
    fields: {
      id: text(),
      place: title(),
      kind: maybeText({ x_pdpp_role: "secondary", description: "What the place is to the owner: HOME, WORK, ..." }),
      started_at: eventTime(),
      ended_at: time("When it was left."),
      ...place("Where it is"),
      address: maybeText(),
      place_id: maybeText({ description: "Google's name of the place." }),
      extra: extra(),
    },
    search: ["place", "address", "kind"],
    groups: ["place", "kind"],
    distinct: ["place_id"],
  }),
  stream({
    name: "trips",
    label: "Trips",
    description: "Ways from one place to another.",
    time: "started_at",
    fields: {
      id: text(),
      mode: title(),
      started_at: eventTime(),
      ended_at: time("When it ended."),
      start_latitude: number("Where it began."),
      start_longitude: number("Where it began."),
      end_latitude: number("Where it ended."),
      end_longitude: number("Where it ended."),
      distance_m: number("How far, in metres."),
      extra: extra(),
    },
    search: ["mode"],
    ranges: ["distance_m"],
    groups: ["mode"],
    sums: ["distance_m"],
  }),
  stream({
    name: "points",
    label: "Points",
    description: "Where the phone was at a moment.",
    time: "at",
    fields: {
      id: text(),
      at: eventTime(),
      ...place("Where it was"),
      accuracy_m: number("How far off it may be, in metres."),
      altitude_m: number("How high, in metres."),
      source: maybeText({ x_pdpp_role: "secondary", description: "path, signal or record: which list of the export." }),
      activity: maybeText({ description: "What the phone took it for: WALKING, IN_VEHICLE, ..." }),
    },
    search: ["activity"],
    ranges: ["latitude", "longitude"],
    groups: ["source", "activity"],
  }),
]);
