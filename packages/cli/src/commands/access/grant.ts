import { commandName } from "@pdpp/agent-setup/command-name";
import type { IssuedGrant, OwnerApi } from "@pdpp/contract/owner";
import type { Command } from "commander";
import { type CredentialSlot, resolveSlot, type SaveFlags } from "../../credentials/credential-slot.ts";
import { defaultProviderUrl } from "../../credentials/provider-url.ts";
import { buildGrantRequest, type GrantFlags } from "../../input/grant-request.ts";
import { formatGrant } from "../../render/grant.ts";
import type { Style } from "../../render/terminal/style.ts";
import { showLabel } from "../../render/terminal/style.ts";
import { formatProperties } from "../../render/terminal/table.ts";
import {
  addCommand,
  addTopCommand,
  type Call,
  collectValues,
  onRun,
  parseExpiryOption,
  parseTimeOption,
} from "../../runtime/command.ts";
import { withOwner } from "../../runtime/vault.ts";

export function addGrant(program: Command): void {
  const group = addTopCommand(program, "grant", [
    'pdpp grant create --client "My agent" --connection notes-work --stream notes',
  ]);
  addCreate(group);
  addList(group);
  addShow(group);
  addRevoke(group);
}

function addCreate(group: Command): void {
  const create = addCommand(group, "create", "Create a grant and print its token once, or save it for agents", [
    'pdpp grant create --client "My agent" --connection notes-work --stream notes --fields id,title --since 2026-01-01',
    "pdpp grant create --file grant.json",
    'pdpp grant create --client "My agent" --connection notes-work --stream notes --save',
  ])
    .option("--file <spec>", "read the grant from a file instead of flags (- for stdin)")
    .option("--client <name>", "name of the client that gets the grant")
    .option("--connection <id>", "source to read from (repeatable; several connectors make a package)", collectValues)
    .option("--stream <name>", "stream to read, or * for all (repeatable)", collectValues)
    .option("--fields <names>", "comma-separated fields (default: all current fields)")
    .option("--since <time>", "only records at or after this time", parseTimeOption)
    .option("--until <time>", "only records before this time", parseTimeOption)
    .option("--record <id>", "only this record (repeatable)", collectValues)
    .option("--expires <time>", "when the grant expires: a date, or a duration such as 90d", parseExpiryOption)
    .option("--purpose <text>", "purpose to show in grant lists")
    .option("--save", "save the token for the agents on this machine instead of printing it")
    .option("--provider-url <url>", `with --save: server the agents read from (default: ${defaultProviderUrl})`)
    .option("--cache-root <dir>", "with --save: folder for the credential (default: ~/.pdpp)")
    .option("--replace", "with --save: replace the credential saved for that server");
  onRun(create, async ({ options, out, location }: Call<GrantFlags & SaveFlags>) => {
    const slot = resolveSlot(options);
    if (slot === undefined) {
      const issued = await withOwner(location, async (owner) =>
        owner.grants.issue(await buildGrantRequest(owner, options)),
      );
      out.result(issued, (style) => formatIssued(style, issued));
      out.remark("Copy the token now. It will not be shown again.");
      return;
    }
    const { token: _kept, ...shown } = await withOwner(location, (owner) => issueAndSave(slot, owner, options));
    out.result({ ...shown, saved_to: slot.path, provider_url: slot.providerUrl }, (style) =>
      formatIssued(style, { ...shown, savedTo: slot.path, providerUrl: slot.providerUrl }),
    );
    out.remark(`Next: ${commandName} setup CLIENT --write (run ${commandName} setup to list the agents)`);
    if (slot.warning !== undefined) out.remark(`warning: ${slot.warning}`);
  });
}

/** Revokes the grants if their token cannot be saved, since no one could use them. */
async function issueAndSave(slot: CredentialSlot, owner: OwnerApi, flags: GrantFlags): Promise<IssuedGrant> {
  const request = await buildGrantRequest(owner, flags);
  const issued = await owner.grants.issue(request);
  try {
    slot.keep(issued, request.expires_at);
  } catch (error) {
    for (const { grant_id } of issued.grants) await owner.grants.revoke(issued.package_id ?? grant_id);
    throw error;
  }
  return issued;
}

interface IssuedText extends Omit<IssuedGrant, "token"> {
  readonly token?: string;
  readonly savedTo?: string;
  readonly providerUrl?: string;
}

const formatIssued = (style: Style, { token, savedTo, providerUrl, package_id, grants: made }: IssuedText): string =>
  formatProperties(style, [
    ["token", token],
    ["saved to", savedTo],
    ["for", providerUrl],
    ["package", package_id],
    ...made.map((grant): [string, string] => [
      "grant",
      `${grant.grant_id}  ${grant.connector_key}  ${grant.connection_ids.join(", ")}`,
    ]),
  ]);

function addList(group: Command): void {
  const list = addCommand(group, "list", "List all grants: active, expired and revoked", ["pdpp grant list"]);
  onRun(list, async ({ out, location }) => {
    const data = await withOwner(location, ({ grants }) => grants.list());
    out.list(data, `No grants yet. Create one with: ${commandName} grant create`, {
      GRANT: ({ grant_id }) => grant_id,
      PACKAGE: ({ package_id }) => package_id ?? "",
      CLIENT: ({ client }) => showLabel(client.name),
      STATUS: ({ status }) => status,
      CONNECTOR: ({ connector_key }) => connector_key,
      STREAMS: ({ streams }) => streams.map(({ name }) => name).join(", "),
      EXPIRES: ({ expires_at }) => expires_at ?? "never",
    });
  });
}

function addShow(group: Command): void {
  const show = addCommand(group, "show <id>", "Show what a grant or package allows", [
    "pdpp grant show grt_Tz1mPq0aVb3cXy4d",
  ]);
  onRun(show, async ({ out, location }, id: string) => {
    const named = await withOwner(location, ({ grants }) => grants.get(id));
    const held = named.object === "package" ? named.grants : [named];
    out.result(named, (style) => held.map((grant) => formatGrant(style, grant)).join("\n\n"));
  });
}

function addRevoke(group: Command): void {
  const revoking = addCommand(group, "revoke <id>", "Revoke a grant or package immediately", [
    "pdpp grant revoke grt_Tz1mPq0aVb3cXy4d",
  ]);
  onRun(revoking, async ({ out, location }, id: string) => {
    const revoked = await withOwner({ ...location, isUrgent: true }, ({ grants }) => grants.revoke(id));
    out.result(revoked, () => `revoked ${id}`);
  });
}
