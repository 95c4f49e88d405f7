import * as field from "../core/records/field.ts";
import { definePointStream } from "../core/records/point.ts";
import { defineManifest } from "../core/records/schema.ts";

/** Locations that a phone sends by itself, in the shape of imported ones. */
export const locationManifest = defineManifest("location", "Location", "1.0.0", [
  definePointStream("The app that sent it: owntracks, overland, or form.", {
    device: field.maybeText({ description: "The device, as the app names it." }),
  }),
]);
