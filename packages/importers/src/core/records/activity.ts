import type { JsonObject } from "@pdpp/contract/declaration";
import type { RecordItem } from "../importer.ts";
import { createRecord } from "../items.ts";
import * as field from "./field.ts";
import { createFormatDefiner, defineStream } from "./schema.ts";

/** Searches, views, visits and plays recorded by an app. */
export const defineActivityStreams = (): JsonObject[] => [
  defineStream({
    name: "events",
    label: "Activity",
    description: "Searches, views, visits and plays, one record each.",
    time: "happened_at",
    fields: {
      id: field.text(),
      title: field.title(),
      source: field.actor(),
      kind: field.maybeText({ x_pdpp_role: "secondary", description: "The action: visited, watched, listened, ..." }),
      happened_at: field.eventTime(),
      local_time: field.maybeText({ description: "Local time as the app wrote it." }),
      time_zone_assumed: field.timeZone("Time zone assumed for local_time."),
      text: field.body(),
      url: field.maybeText({ x_pdpp_type: "url" }),
      details: field.texts({ description: "Further details shown by the app." }),
      extra: field.extra(),
    },
    search: ["title", "text", "url"],
    groups: ["source", "kind"],
    distinct: ["url"],
  }),
];

export const defineActivityFormat = createFormatDefiner(defineActivityStreams(), "events");

interface Activity {
  readonly id: string;
  readonly title: string | null;
  readonly source: string | null;
  readonly kind?: string | null;
  readonly at: string;
  readonly localTime?: string | null;
  readonly zone?: string | null;
  readonly text?: string | null;
  readonly url?: string | null;
  readonly details?: readonly string[];
  readonly extra?: JsonObject;
}

export const createActivityRecord = (event: Activity): RecordItem =>
  createRecord("events", {
    id: event.id,
    title: event.title,
    source: event.source,
    kind: event.kind ?? null,
    happened_at: event.at,
    local_time: event.localTime ?? null,
    time_zone_assumed: event.zone ?? null,
    text: event.text ?? null,
    url: event.url ?? null,
    details: [...(event.details ?? [])].sort(),
    extra: event.extra ?? {},
  });
