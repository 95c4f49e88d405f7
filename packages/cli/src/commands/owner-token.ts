import { instantOf } from "@pdpp/contract/instant";
import type { Command } from "commander";
import { type Call, command, does, time } from "../command.ts";
import { UsageError } from "../failure.ts";
import { properties, table } from "../render/table.ts";
import { withOwner } from "../vault.ts";

export function addOwnerToken(program: Command): void {
  const group = command(
    program,
    "owner-token",
    "Tokens for the owner's own programs, which may do everything over HTTP",
    ["pdpp owner-token create --name backup"],
  );
  addCreate(group);
  addList(group);
  addRevoke(group);
}

function addCreate(group: Command): void {
  const create = command(group, "create", "Make a token; it is shown once", [
    "pdpp owner-token create --name backup --expires 2030-01-01",
  ])
    .option("--name <name>", "what it is for", "owner")
    .option("--expires <time>", "when it ends", time);
  does(create, async ({ options, out, location }: Call<{ name: string; expires?: string }>) => {
    const { name, expires } = options;
    if (expires !== undefined && (instantOf(expires) ?? 0) <= Date.now())
      throw new UsageError("--expires is in the past; give a time in the future");
    const made = await withOwner(location, ({ tokens }) => tokens.create({ name, expires_at: expires }));
    out.result(made, (style) =>
      properties(style, [
        ["token", made.token],
        ["id", made.token_id],
        ["expires", made.expires_at ?? "never"],
      ]),
    );
    out.remark("save the token now, it is not shown again; it opens the whole vault, so never give it to an agent");
  });
}

function addList(group: Command): void {
  const list = command(group, "list", "The owner tokens, without their secrets", ["pdpp owner-token list"]);
  does(list, async ({ out, location }) => {
    const data = await withOwner(location, ({ tokens }) => tokens.list());
    out.result({ object: "list", data }, (style) =>
      data.length === 0
        ? "no owner tokens; make one with pdpp owner-token create"
        : table(
            style,
            ["TOKEN", "NAME", "STATUS", "CREATED", "EXPIRES"],
            data.map((t) => [t.token_id, t.name, t.status, t.created_at, t.expires_at ?? "never"]),
          ),
    );
  });
}

function addRevoke(group: Command): void {
  const revoking = command(group, "revoke <token-id>", "End a token now", [
    "pdpp owner-token revoke tok_Tz1mPq0aVb3cXy4d",
  ]);
  does(revoking, async ({ out, location }, id: string) => {
    const revoked = await withOwner(location, ({ tokens }) => tokens.revoke(id));
    out.result(revoked, () => `revoked ${id}`);
  });
}
