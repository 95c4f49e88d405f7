import type { JsonObject } from "@pdpp/contract/declaration";
import * as field from "./field.ts";
import { defineStream } from "./schema.ts";

export const definePlace = (which: string) => ({
  latitude: field.number(`${which}, in degrees north.`),
  longitude: field.number(`${which}, in degrees east.`),
});

/** Where a phone was, point by point. `source` describes where the points come from. */
export const definePointStream = (source: string, more: JsonObject = {}): JsonObject =>
  defineStream({
    name: "points",
    label: "Points",
    description: "Recorded locations of the phone.",
    time: "at",
    fields: {
      id: field.text(),
      at: field.eventTime(),
      ...definePlace("Location"),
      accuracy_m: field.number("Accuracy in metres."),
      altitude_m: field.number("Altitude in metres."),
      source: field.maybeText({ x_pdpp_role: "secondary", description: source }),
      activity: field.maybeText({ description: "Activity detected by the phone: WALKING, IN_VEHICLE, ..." }),
      ...more,
    },
    presentation: { kind: "place", fields: { latitude: "latitude", longitude: "longitude" } },
    search: ["activity"],
    ranges: ["latitude", "longitude"],
    groups: ["source", "activity"],
  });
