import type { IssuedGrant, OwnerApi } from "@pdpp/contract/owner";
import type { Command } from "commander";
import { type CredentialSlot, resolveSlot, type SaveFlags } from "../../credentials/credential-slot.ts";
import { defaultProviderUrl } from "../../credentials/provider-url.ts";
import { buildGrantRequest, type GrantFlags } from "../../input/grant-request.ts";
import { formatGrant, formatGrantTable } from "../../render/grant.ts";
import type { Style } from "../../render/terminal/style.ts";
import { formatProperties } from "../../render/terminal/table.ts";
import {
  addCommand,
  type Call,
  collectValues,
  onRun,
  parseExpiryOption,
  parseTimeOption,
} from "../../runtime/command.ts";
import { withOwner } from "../../runtime/vault.ts";

export function addGrant(program: Command): void {
  const group = addCommand(program, "grant", "What a client may read", [
    'pdpp grant create --client "My agent" --connection notes-work --stream notes',
  ]);
  addCreate(group);
  addList(group);
  addShow(group);
  addRevoke(group);
}

function addCreate(group: Command): void {
  const create = addCommand(group, "create", "Create a grant; prints its token once, or saves it for agents", [
    'pdpp grant create --client "My agent" --connection notes-work --stream notes --fields id,title --since 2026-01-01',
    "pdpp grant create --file grant.json",
    'pdpp grant create --client "My agent" --connection notes-work --stream notes --save',
  ])
    .option("--file <spec>", "a grant file instead of the flags; - is stdin")
    .option("--client <name>", "who gets the grant")
    .option("--connection <id>", "what it may read from (may repeat; several connectors make a package)", collectValues)
    .option("--stream <name>", "which stream, * for all (may repeat)", collectValues)
    .option("--fields <names>", "which fields, separated by commas (default: all declared now)")
    .option("--since <time>", "records from that time on", parseTimeOption)
    .option("--until <time>", "records before that time", parseTimeOption)
    .option("--record <id>", "only that record (may repeat)", collectValues)
    .option("--expires <time>", "when the grant ends: a time, or 90d from now", parseExpiryOption)
    .option("--purpose <text>", "what it is for")
    .option("--save", "save the token for the agents on this machine instead of printing it")
    .option(
      "--provider-url <url>",
      `with --save: the server that the agents read from (default: ${defaultProviderUrl})`,
    )
    .option("--cache-root <dir>", "with --save: where to keep it (default: ~/.pdpp)")
    .option("--replace", "with --save: replace the credential saved for that server");
  onRun(create, async ({ options, out, location }: Call<GrantFlags & SaveFlags>) => {
    const slot = resolveSlot(options);
    if (slot === undefined) {
      const issued = await withOwner(location, async (owner) =>
        owner.grants.issue(await buildGrantRequest(owner, options)),
      );
      out.result(issued, (style) => formatIssued(style, issued));
      out.remark("save the token now, it is not shown again");
      return;
    }
    const { token: _kept, ...shown } = await withOwner(location, (owner) => issueAndSave(slot, owner, options));
    out.result({ ...shown, saved_to: slot.path, provider_url: slot.providerUrl }, (style) =>
      formatIssued(style, { ...shown, savedTo: slot.path, providerUrl: slot.providerUrl }),
    );
    out.remark("next: pdpp setup CLIENT --write; pdpp setup lists the clients");
    if (slot.warning !== undefined) out.remark(`warning: ${slot.warning}`);
  });
}

/** A token that could not be kept is of no use to anybody, so its grants end at once. */
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
  const list = addCommand(group, "list", "All grants: active, expired and revoked", ["pdpp grant list"]);
  onRun(list, async ({ out, location }) => {
    const data = await withOwner(location, ({ grants }) => grants.list());
    out.result({ object: "list", data }, (style) =>
      data.length === 0 ? "no grants yet; create one with pdpp grant create" : formatGrantTable(style, data),
    );
  });
}

function addShow(group: Command): void {
  const show = addCommand(group, "show <id>", "What a grant, or each grant of a package, allows", [
    "pdpp grant show grt_Tz1mPq0aVb3cXy4d",
  ]);
  onRun(show, async ({ out, location }, id: string) => {
    const named = await withOwner(location, ({ grants }) => grants.get(id));
    const held = named.object === "package" ? named.grants : [named];
    out.result(named, (style) => held.map((grant) => formatGrant(style, grant)).join("\n\n"));
  });
}

function addRevoke(group: Command): void {
  const revoking = addCommand(group, "revoke <id>", "End a grant, or a package with its grants, now", [
    "pdpp grant revoke grt_Tz1mPq0aVb3cXy4d",
  ]);
  onRun(revoking, async ({ out, location }, id: string) => {
    const revoked = await withOwner({ ...location, isUrgent: true }, ({ grants }) => grants.revoke(id));
    out.result(revoked, () => `revoked ${id}`);
  });
}
