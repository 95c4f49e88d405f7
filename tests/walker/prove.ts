import { allMarks, allowedMarks } from "../model/canaries.ts";
import { type LoadedVault, loadVault } from "../model/loaded-vault.ts";
import { sourcesOf } from "../model/model-grant.ts";
import { ModelVault } from "../model/model-vault.ts";
import type { World } from "../model/model-world.ts";
import type { GrantRequest, VaultSpec } from "../model/spec.ts";
import type { EngineName } from "../support/vaults.ts";
import { checkExchange, type Marks } from "./exchange-checks.ts";
import { compare } from "./expected.ts";
import type { HostileVault } from "./hostile-vault.ts";
import { type Call, callTool, type Exchange } from "./mcp-host.ts";
import { type Host, WalkFault, walk } from "./walk.ts";

/** One generated vault, walked by every client of it in every way. */

export interface Tally {
  vaults: number;
  grants: number;
  calls: number;
  records: number;
  characters: number;
  canaries: number;
}

export const newTally = (): Tally => ({ vaults: 0, grants: 0, calls: 0, records: 0, characters: 0, canaries: 0 });

export interface ClientOf {
  readonly vault: LoadedVault;
  readonly token: string;
  readonly world: World;
  readonly marks: Marks;
  readonly request: GrantRequest;
  readonly grantIds: readonly string[];
  readonly tally: Tally;
}

export async function proveVault({ spec, grants }: HostileVault, engine: EngineName, tally: Tally): Promise<void> {
  const vault = await loadVault(engine, spec);
  try {
    for (const request of grants) {
      const client = await clientOf(vault, spec, request, tally);
      await proveClient(client);
      tally.grants += 1;
    }
    tally.vaults += 1;
  } finally {
    await vault.drop();
  }
}

export async function clientOf(
  vault: LoadedVault,
  spec: VaultSpec,
  request: GrantRequest,
  tally: Tally,
): Promise<ClientOf> {
  const model = new ModelVault(spec);
  for (const write of spec.writes[0] ?? []) model.write(write, vault.now);
  const { token, grants } = await vault.issue(request);
  const grantIds = grants.map(({ grant_id }) => grant_id);
  const world: World = { vault: spec, snapshot: model.snapshot, sources: sourcesOf(spec, request, grantIds) };
  const marks = { allowed: allowedMarks(world), all: allMarks(spec) };
  return { vault, token, world, marks, request, grantIds, tally };
}

/** A call whose answer was checked for all that holds for every answer. */
export async function checkedCall({ vault, token, marks, tally }: ClientOf, call: Call): Promise<Exchange> {
  const exchange = await callTool(vault, token, call);
  tally.calls += 1;
  tally.canaries += marks.all.size;
  checkExchange(exchange, marks);
  if (vault.bugs.length > 0) throw new WalkFault(`the server failed: ${String((vault.bugs[0] as Error).stack)}`);
  return exchange;
}

/** A reference may name bytes that were never stored or are not the text that they are said to be. */
const isBrokenBlob = ({ call, result }: Exchange): boolean =>
  call.tool === "read_record_field" &&
  String(call.arguments.field_path).endsWith("{text}") &&
  /^Error: (field_not_text|blob_not_found|not_found)/.test(result?.content[0]?.text ?? "");

async function proveClient(client: ClientOf): Promise<void> {
  const found: string[] = [];
  for (const host of ["content", "structured"] as Host[]) {
    const { rebuilt } = await walk({ host, call: (call) => checkedCall(client, call), mayFail: isBrokenBlob });
    const { faults, characters, records } = compare(client.world, rebuilt);
    client.tally.records += records;
    client.tally.characters += characters;
    found.push(...faults.map((fault) => `${host}: ${fault}`));
  }
  if (found.length > 0)
    throw new WalkFault(`${found.length} faults:\n  ${found.slice(0, 6).join("\n  ").slice(0, 4000)}`);
}
