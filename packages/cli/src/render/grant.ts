import type { GrantedStream } from "@pdpp/contract/grant";
import type { GrantDocument } from "@pdpp/contract/owner";
import type { Style } from "./terminal/style.ts";
import { showLabel } from "./terminal/style.ts";
import { formatProperties } from "./terminal/table.ts";

export function formatGrant(style: Style, grant: GrantDocument): string {
  const head = formatProperties(style, [
    ["grant", grant.grant_id],
    ["package", grant.package_id],
    ["client", `${showLabel(grant.client.name)} (${grant.client.client_id})`],
    ["connector", `${grant.connector_key} ${grant.declaration_version}`],
    ["status", grant.status],
    ["purpose", grant.purpose],
    ["purpose code", grant.purpose_code],
    ["issued", grant.issued_at],
    ["expires", grant.expires_at ?? "never"],
    ["revoked", grant.revoked_at],
  ]);
  return [head, ...grant.streams.map((stream) => formatGrantedStream(style, stream))].join("\n");
}

function formatGrantedStream(
  style: Style,
  { name, connection_ids, fields, time_constraint: time, resources }: GrantedStream,
): string {
  const times =
    time &&
    [time.field, time.since && `from ${time.since}`, time.until && `before ${time.until}`].filter(Boolean).join(" ");
  const held = formatProperties(
    style,
    [
      ["connections", connection_ids.join(", ")],
      ["fields", fields.join(", ")],
      ["times", times],
      ["records", resources === undefined ? undefined : resources.join(", ")],
    ],
    "  ",
  );
  return `${formatProperties(style, [["stream", name]])}\n${held}`;
}
