import { parseInstant } from "@pdpp/contract/instant";
import { type OwnerRight, ownerRights } from "@pdpp/contract/owner";
import { type Command, InvalidArgumentError, Option } from "commander";
import { formatProperties } from "../../render/terminal/table.ts";
import { addCommand, type Call, collectValues, onRun, parseExpiryOption } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { withOwner } from "../../runtime/vault.ts";

export function addOwnerToken(program: Command): void {
  const group = addCommand(program, "owner-token", "Manage API tokens for your own programs", [
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

function collectRight(text: string, before: readonly OwnerRight[] = []): OwnerRight[] {
  const known = ownerRights.find((each) => each === text);
  if (known !== undefined) return [...before, known];
  throw new InvalidArgumentError(`Expected one of: ${ownerRights.join(", ")}.`);
}

function addCreate(group: Command): void {
  const create = addCommand(group, "create", "Create a token and print it once", [
    "pdpp owner-token create --name backup --may read --expires 2030-01-01",
    "pdpp owner-token create --name importer --may ingest --connection notes-work --expires 90d",
  ])
    .option("--name <name>", "name to recognize it by", "owner")
    .addOption(
      new Option(
        "--may <what>",
        "read; ingest: store records and files; manage: delete records; introspect: look up a token (repeatable)",
      )
        .choices(ownerRights)
        .argParser<OwnerRight[]>(collectRight),
    )
    .option("--connection <id>", "only this connection (repeatable)", collectValues)
    .option("--expires <time>", "when it expires: a date, or a duration such as 90d", parseExpiryOption);
  onRun(create, async ({ options, out, location }: Call<CreateOptions>) => {
    const { name, expires, may, connection } = options;
    if (expires !== undefined && (parseInstant(expires) ?? 0) <= Date.now())
      throw new UsageError("--expires is in the past; choose a time in the future");
    const made = await withOwner(location, ({ tokens }) =>
      tokens.create({ name, expires_at: expires, may, connection_ids: connection }),
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
      out.remark("It gives access to the whole vault. Limit it with --may, --connection and --expires.");
  });
}

function addList(group: Command): void {
  const list = addCommand(group, "list", "List owner tokens, without their secrets", ["pdpp owner-token list"]);
  onRun(list, async ({ out, location }) => {
    const data = await withOwner(location, ({ tokens }) => tokens.list());
    out.list(data, "No owner tokens yet. Create one with: pdpp owner-token create", {
      TOKEN: ({ token_id }) => token_id,
      NAME: ({ name }) => name,
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
