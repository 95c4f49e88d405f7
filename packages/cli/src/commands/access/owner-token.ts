import { commandName } from "@pdpp/agent-setup/command-name";
import { parseInstant } from "@pdpp/contract/instant";
import { type OwnerRight, ownerRights } from "@pdpp/contract/owner";
import { type Command, InvalidArgumentError, Option } from "commander";
import { showLabel } from "../../render/terminal/style.ts";
import { formatProperties } from "../../render/terminal/table.ts";
import {
  addCommand,
  addTopCommand,
  type Call,
  collectValues,
  onRun,
  parseExpiryOption,
} from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { withOwner } from "../../runtime/vault.ts";

export function addOwnerToken(program: Command): void {
  const group = addTopCommand(program, "owner-token", [
    "pdpp owner-token create --name importer --may ingest --connection notes-work --expires 90d",
  ]);
  addCreate(group);
  addList(group);
  addRevoke(group);
}

interface CreateOptions {
  readonly name: string;
  readonly expires?: string;
  readonly may?: OwnerRight[];
  readonly connection?: string[];
}

/** A token that is lost or forgotten does one thing, and not for long. */
const defaultRights: OwnerRight[] = ["read"];
const defaultExpiry = "90d";
const never = "never";

const parseExpiry = (text: string): string => (text === never ? never : parseExpiryOption(text));

function collectRight(text: string, before: readonly OwnerRight[] = []): OwnerRight[] {
  const known = ownerRights.find((each) => each === text);
  if (known !== undefined) return [...(before === defaultRights ? [] : before), known];
  throw new InvalidArgumentError(`Expected one of: ${ownerRights.join(", ")}.`);
}

function addCreate(group: Command): void {
  const create = addCommand(group, "create", "Create a token and print it once", [
    "pdpp owner-token create --name reports",
    "pdpp owner-token create --name backup --may everything --expires never",
    "pdpp owner-token create --name importer --may ingest --connection notes-work --expires 90d",
  ])
    .option("--name <name>", "name to recognize it by", "owner")
    .addOption(
      new Option(
        "--may <what>",
        "read; ingest: store records and files; manage: delete records; introspect: look up a token; everything (repeatable)",
      )
        .default(defaultRights, "read")
        .choices(ownerRights)
        .argParser<OwnerRight[]>(collectRight),
    )
    .option("--connection <id>", "only this connection (repeatable)", collectValues)
    .option(
      "--expires <time>",
      "when it expires: a date, a duration such as 30d, or never (default: 90d)",
      parseExpiry,
    );
  onRun(create, async ({ options, out, location }: Call<CreateOptions>) => {
    const { name, expires = parseExpiryOption(defaultExpiry), may, connection } = options;
    if (expires !== never && (parseInstant(expires) ?? 0) <= Date.now())
      throw new UsageError("--expires is in the past; choose a time in the future");
    const made = await withOwner(location, ({ tokens }) =>
      tokens.create({
        name,
        may,
        connection_ids: connection,
        ...(expires === never ? {} : { expires_at: expires }),
      }),
    );
    out.result(made, (style) =>
      formatProperties(style, [
        ["token", made.token],
        ["id", made.token_id],
        ["may", made.may.join(", ")],
        ["with", made.connection_ids?.join(", ")],
        ["expires", made.expires_at ?? "never"],
      ]),
    );
    out.remark(
      "Copy the token now. It will not be shown again. It is for your own programs: never give it to an agent.",
    );
    if (made.may.includes("everything"))
      out.remark("It gives access to the whole vault. Limit it with --may and --connection.");
    if (made.expires_at === undefined) out.remark("It never expires. Revoke it when you no longer need it.");
  });
}

function addList(group: Command): void {
  const list = addCommand(group, "list", "List owner tokens, without their secrets", ["pdpp owner-token list"]);
  onRun(list, async ({ out, location }) => {
    const data = await withOwner(location, ({ tokens }) => tokens.list());
    out.list(data, `No owner tokens yet. Create one with: ${commandName} owner-token create`, {
      TOKEN: ({ token_id }) => token_id,
      NAME: ({ name }) => showLabel(name),
      MAY: ({ may }) => may.join(","),
      CONNECTIONS: ({ connection_ids }) => connection_ids?.join(",") ?? "all",
      STATUS: ({ status }) => status,
      CREATED: ({ created_at }) => created_at,
      EXPIRES: ({ expires_at }) => expires_at ?? "never",
    });
  });
}

function addRevoke(group: Command): void {
  const revoking = addCommand(group, "revoke <token-id>", "Revoke a token immediately", [
    "pdpp owner-token revoke tok_Tz1mPq0aVb3cXy4d",
  ]);
  onRun(revoking, async ({ out, location }, id: string) => {
    const revoked = await withOwner({ ...location, isUrgent: true }, ({ tokens }) => tokens.revoke(id));
    out.result(revoked, () => `revoked ${id}`);
  });
}
