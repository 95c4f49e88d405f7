import { listAllMarks, listAllowedMarks } from "../model/canaries.ts";
import type { LoadedVault } from "../model/loaded-vault.ts";
import { listSources } from "../model/rules/grant.ts";
import { ModelVault } from "../model/rules/vault.ts";
import type { World } from "../model/rules/world.ts";
import type { GrantRequest, VaultSpec } from "../model/spec.ts";
import { checkExchange, type Marks } from "./checks/exchange-checks.ts";
import { type Call, callTool, type Exchange } from "./hosts/mcp-host.ts";
import { WalkError } from "./walk.ts";

/** One client of a generated vault, and what the model lets it see. */

export interface Tally {
  vaults: number;
  /** Vaults that were also restarted, written to and revoked while being read. */
  lives: number;
  grants: number;
  calls: number;
  records: number;
  characters: number;
  canaries: number;
  /** The views of the console that were shown: `as` a grant, or the owner's `own`. */
  readonly views: Set<string>;
}

export const createTally = (): Tally => ({
  vaults: 0,
  lives: 0,
  grants: 0,
  calls: 0,
  records: 0,
  characters: 0,
  canaries: 0,
  views: new Set(),
});

export interface ClientOf {
  readonly vault: LoadedVault;
  readonly token: string;
  readonly world: World;
  readonly marks: Marks;
  readonly request: GrantRequest;
  readonly grantIds: readonly string[];
  readonly tally: Tally;
}

export async function createClientFor(
  vault: LoadedVault,
  spec: VaultSpec,
  request: GrantRequest,
  tally: Tally,
): Promise<ClientOf> {
  const { token, grants } = await vault.issue(request);
  const grantIds = grants.map(({ grant_id }) => grant_id);
  return findHolder(vault, spec, request, { token, grantIds }, tally);
}

/** The client that already has that token. */
export function findHolder(
  vault: LoadedVault,
  spec: VaultSpec,
  request: GrantRequest,
  { token, grantIds }: Pick<ClientOf, "token" | "grantIds">,
  tally: Tally,
): ClientOf {
  const model = new ModelVault(spec);
  for (const write of spec.writes[0] ?? []) model.write(write, vault.now);
  const world: World = { vault: spec, snapshot: model.snapshot, sources: listSources(spec, request, grantIds) };
  const marks = { allowed: listAllowedMarks(world), all: listAllMarks(spec) };
  return { vault, token, world, marks, request, grantIds, tally };
}

/** Makes a call and checks what must hold for every result. */
export async function callChecked({ vault, token, marks, tally }: ClientOf, call: Call): Promise<Exchange> {
  const exchange = await callTool(vault, token, call);
  tally.calls += 1;
  tally.canaries += marks.all.size;
  checkExchange(exchange, marks);
  if (vault.bugs.length > 0) throw new WalkError(`the server failed: ${String((vault.bugs[0] as Error).stack)}`);
  return exchange;
}

/** A reference may name bytes that were never stored or are not text. */
export const mayFail = ({ call, result }: Exchange): boolean =>
  call.tool === "read_record_field" &&
  String(call.arguments.field_path).endsWith("{text}") &&
  /^Error: (field_not_text|blob_not_found|not_found)/.test(result?.content[0]?.text ?? "");
