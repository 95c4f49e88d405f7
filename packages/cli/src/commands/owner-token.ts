import { PdppError } from "@pdpp/contract/errors";
import { instantOf, isoOf } from "@pdpp/contract/instant";
import { issueOwnerToken } from "@pdpp/server/auth/issue";
import { revoke, tokens } from "@pdpp/server/store/access/grants";
import type { Command } from "commander";
import { type Call, command, does, time } from "../command.ts";
import { UsageError } from "../failure.ts";
import { stateOf } from "../grants.ts";
import { properties, table } from "../render/table.ts";
import { ownerNo, withVault } from "../vault.ts";

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
    const expiresAt = options.expires === undefined ? null : instantOf(options.expires);
    if (expiresAt !== null && expiresAt <= Date.now())
      throw new UsageError("--expires is in the past; name a time to come");
    const made = await withVault(location, (store) =>
      issueOwnerToken(store, ownerNo, options.name, Date.now(), expiresAt),
    );
    const expiry = expiresAt === null ? {} : { expires_at: isoOf(expiresAt) };
    const document = { object: "owner_token", ...made, name: options.name, ...expiry };
    out.result(document, (style) =>
      properties(style, [
        ["token", made.token],
        ["id", made.token_id],
        ["expires", expiry.expires_at ?? "never"],
      ]),
    );
    out.remark("keep the token now, it is not shown again; it opens the whole vault, so never give it to an agent");
  });
}

function addList(group: Command): void {
  const list = command(group, "list", "The owner tokens, without their secrets", ["pdpp owner-token list"]);
  does(list, async ({ out, location }) => {
    const held = await withVault(location, (store) => store.engine.read((on) => tokens(on, ownerNo, "owner")));
    const data = held.map((token) => ({
      object: "owner_token" as const,
      token_id: token.tokenId,
      name: token.clientName,
      status: stateOf(token, Date.now()),
      created_at: isoOf(token.createdAt),
      ...(token.expiresAt === null ? {} : { expires_at: isoOf(token.expiresAt) }),
      ...(token.revokedAt === null ? {} : { revoked_at: isoOf(token.revokedAt) }),
    }));
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
    const revokedAt = await withVault(location, (store) =>
      store.engine.write(async (on) => {
        if (!(await tokens(on, ownerNo, "owner")).some(({ tokenId }) => tokenId === id)) {
          throw new PdppError(
            "not_found",
            `there is no owner token ${JSON.stringify(id)}; pdpp owner-token list shows them`,
          );
        }
        await revoke(on, ownerNo, id, Date.now());
        return (await tokens(on, ownerNo, "owner")).find(({ tokenId }) => tokenId === id)!.revokedAt!;
      }),
    );
    out.result(
      { object: "owner_token", token_id: id, status: "revoked", revoked_at: isoOf(revokedAt) },
      () => `revoked ${id}`,
    );
  });
}
