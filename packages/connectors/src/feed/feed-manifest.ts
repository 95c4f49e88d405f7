import * as field from "@pdpp/importers/records/field";
import { defineManifest, defineStream } from "@pdpp/importers/records/schema";
import { defineConnectorManifest } from "../kit/manifest.ts";

export const entriesManifest = defineManifest("feed", "Web feeds", "1.0.0", [
  defineStream({
    name: "entries",
    label: "Entries",
    description: "Entries of web feeds, as plain text. Entries stay when they leave the feed.",
    time: "published_at",
    fields: {
      id: field.text({ description: "A digest of the feed's address and the entry's own id or address." }),
      title: field.title(),
      author: field.actor(),
      text: field.body(),
      url: field.maybeText({ description: "Where the entry can be read." }),
      feed_title: field.maybeText({ x_pdpp_role: "secondary" }),
      feed_url: field.text(),
      published_at: field.eventTime(),
      updated_at: field.time("When it was last changed, if the feed says so."),
      categories: field.texts(),
      media: field.texts({ description: "Addresses of attached files, such as episodes of a podcast." }),
    },
    presentation: { kind: "document" },
    search: ["title", "text", "author", "feed_title"],
    ranges: ["updated_at"],
    groups: ["feed_title", "author"],
  }),
]);

export const feedManifest = defineConnectorManifest(entriesManifest, {
  fields: [
    {
      name: "url",
      label: "Addresses",
      env: "FEED_URL",
      description: "Addresses of RSS, Atom, RDF or JSON feeds, separated by commas.",
      example: "https://example.com/feed.xml",
      required: true,
    },
  ],
  intervalSeconds: { recommended: 3600, minimum: 300 },
});
