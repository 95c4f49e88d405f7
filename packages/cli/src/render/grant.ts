import type { GrantedStream } from "@pdpp/contract/grant";
import type { GrantDocument } from "@pdpp/contract/owner";
import type { Style } from "./terminal/style.ts";
import { properties, table } from "./terminal/table.ts";

export function grantText(style: Style, grant: GrantDocument): string {
  const head = properties(style, [
    ["grant", grant.grant_id],
    ["package", grant.package_id],
    ["client", `${grant.client.name} (${grant.client.client_id})`],
    ["connector", `${grant.connector_key} ${grant.declaration_version}`],
    ["status", grant.status],
    ["purpose", grant.purpose],
    ["purpose code", grant.purpose_code],
    ["issued", grant.issued_at],
    ["expires", grant.expires_at ?? "never"],
    ["revoked", grant.revoked_at],
  ]);
  return [head, ...grant.streams.map((stream) => streamText(style, stream))].join("\n");
}

function streamText(
  style: Style,
  { name, connection_ids, fields, time_constraint: time, resources }: GrantedStream,
): string {
  const times =
    time &&
    [time.field, time.since && `from ${time.since}`, time.until && `before ${time.until}`].filter(Boolean).join(" ");
  const held = properties(
    style,
    [
      ["connections", connection_ids.join(", ")],
      ["fields", fields.join(", ")],
      ["times", times],
      ["records", resources === undefined ? undefined : resources.join(", ")],
    ],
    "  ",
  );
  return `${properties(style, [["stream", name]])}\n${held}`;
}

export function grantTable(style: Style, grants: readonly GrantDocument[]): string {
  return table(
    style,
    ["GRANT", "PACKAGE", "CLIENT", "STATUS", "CONNECTOR", "STREAMS", "EXPIRES"],
    grants.map((grant) => [
      grant.grant_id,
      grant.package_id ?? "",
      grant.client.name,
      grant.status,
      grant.connector_key,
      grant.streams.map(({ name }) => name).join(", "),
      grant.expires_at ?? "never",
    ]),
  );
}
