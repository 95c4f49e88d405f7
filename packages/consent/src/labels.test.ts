import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { expect, it } from "vitest";
import { labelField } from "./labels.ts";

it.each<[string, JsonObject, string]>([
  ["is_all_day", { type: "boolean" }, "All day"],
  ["is_all_day", { type: "string" }, "Is all day"],
  ["is_", { type: "boolean" }, "Is"],
  ["island", { type: "boolean" }, "Island"],
  ["from_name", { type: "string" }, "From"],
  ["sender_name", { type: "string" }, "Sender"],
  ["from_address", { type: "string" }, "From address"],
  ["is_seen", { type: "boolean", title: "Is it seen?" }, "Is it seen?"],
])("[CSL-113] labels %s %j as a person would", (name, property, label) => {
  const properties = { id: { type: "string" }, [name]: property };
  const stream = {
    name: "things",
    primary_key: ["id"],
    semantics: "append_only",
    schema: { type: "object", required: ["id"], properties },
  };
  const { streams } = parseManifest({ connector_key: "a", version: "1", streams: [stream] });
  const field = streams[0]?.fields.find((each) => each.name === name);
  expect(field && labelField(field)).toBe(label);
});
