import * as field from "../../core/records/field.ts";
import { defineManifest, defineStream } from "../../core/records/schema.ts";

export const photoManifest = defineManifest("photos", "Photos", "1.0.0", [
  defineStream({
    name: "media",
    label: "Photos and films",
    description: "Pictures and films: when and where they were taken, with what, who is on them.",
    time: "taken_at",
    fields: {
      id: field.text({ description: "The digest of its bytes: copies are one." }),
      name: field.title(),
      taken_at: field.eventTime(),
      local_time: field.maybeText({ description: "As the camera's clock showed it." }),
      time_zone_assumed: field.timeZone("The zone that local_time was read in, where nothing told it."),
      time_source: field.maybeText({ description: "camera, sidecar or satellites: what taken_at was taken from." }),
      camera: field.maybeText({ x_pdpp_role: "secondary" }),
      description: field.body(),
      latitude: field.number("Where it was taken."),
      longitude: field.number("Where it was taken."),
      albums: field.texts({ description: "Folders and albums that have it." }),
      people: field.texts({ x_pdpp_type: "person", x_pdpp_role: "actor" }),
      is_favorite: field.flag("Marked by the owner."),
      mime_type: field.maybeText(),
      size_bytes: field.count("How large it is."),
      blob_ref: field.blobReference(),
      extra: field.extra(),
    },
    presentation: {
      kind: "photo",
      fields: {
        latitude: "latitude",
        longitude: "longitude",
        people: "people",
        media_type: "mime_type",
        size: "size_bytes",
      },
    },
    search: ["name", "description", "camera"],
    ranges: ["size_bytes", "latitude", "longitude"],
    groups: ["camera", "mime_type", "is_favorite"],
    sums: ["size_bytes"],
  }),
]);
