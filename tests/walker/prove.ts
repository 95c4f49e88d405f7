import type { EngineName } from "@pdpp/test-support/vaults/new-vault";
import { type LoadedVault, loadVault } from "../model/loaded-vault.ts";
import { compareBlobTexts } from "./checks/blob-texts.ts";
import { compare } from "./checks/expected.ts";
import { proveWithheld } from "./checks/probes.ts";
import { proveSearches } from "./checks/searches.ts";
import { walkCli, walkJson } from "./cli-walk.ts";
import { type ClientOf, callChecked, createClientFor, mayFail, type Tally } from "./client.ts";
import type { Call, Exchange } from "./hosts/mcp-host.ts";
import { runSilently } from "./hosts/silence.ts";
import { followBytes, walkRest } from "./rest-walk.ts";
import type { Rebuilt } from "./results/rebuilt.ts";
import type { HostileVault } from "./vaults/hostile-vault.ts";
import { type Host, WalkError, walk } from "./walk.ts";

/** One generated vault, walked by each of its clients in every way. */

export async function proveVault(hostile: HostileVault, engine: EngineName, tally: Tally): Promise<void> {
  const vault = await loadVault(engine, hostile.spec);
  try {
    await proveLoaded(vault, hostile, tally);
  } finally {
    await vault.drop();
  }
}

export async function proveLoaded(vault: LoadedVault, { spec, grants }: HostileVault, tally: Tally): Promise<void> {
  for (const [i, request] of grants.entries()) {
    const client = await createClientFor(vault, spec, request, tally);
    await runSilently(() => proveClient(client));
    if (i === 0) await proveCommands(client);
    tally.grants += 1;
  }
  tally.vaults += 1;
}

/** Everything granted is rebuilt, nothing else, and only unreadable texts failed. */
export function checkRebuilt({ world, tally }: ClientOf, rebuilt: Rebuilt, how: string, failed: readonly Call[]): void {
  const { faults, characters, records } = compare(world, rebuilt);
  const texts = compareBlobTexts(world, rebuilt);
  tally.records += records;
  tally.characters += characters + texts.characters;
  const wrongly = failed.filter(
    ({ arguments: { id, field_path } }) => !texts.isUnreadable(String(id), String(field_path)),
  );
  // REST and JSON return the bytes themselves, or only references to them.
  const found = [
    ...faults,
    ...(how === "REST" || how === "JSON" ? [] : texts.faults),
    ...wrongly.map((call) => `${JSON.stringify(call)} failed`),
  ];
  if (found.length > 0)
    throw new WalkError(`${how}, ${found.length} faults:\n  ${found.slice(0, 6).join("\n  ").slice(0, 4000)}`);
}

async function proveClient(client: ClientOf, hosts: readonly Host[] = ["content", "structured"]): Promise<void> {
  for (const host of hosts) {
    const failed: Call[] = [];
    const noted = (exchange: Exchange): boolean => {
      if (mayFail(exchange)) failed.push(exchange.call);
      return mayFail(exchange);
    };
    const get = (url: string, into: Rebuilt) => followBytes(client, url, into);
    const { rebuilt } = await walk({ host, call: (call) => callChecked(client, call), get, mayFail: noted });
    checkRebuilt(client, rebuilt, host, failed);
    await proveSearches(client, host);
  }
  await proveWithheld(client);
  checkRebuilt(client, await walkRest(client), "REST", []);
}

/** By commands: cards in a pipe and on a terminal, and JSON. */
async function proveCommands(client: ClientOf): Promise<void> {
  const { rebuilt, failed } = await walkCli(client);
  checkRebuilt(client, rebuilt, "command line", failed);
  checkRebuilt(client, await walkJson(client), "JSON", []);
}
