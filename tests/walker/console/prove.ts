import type { EngineName } from "@pdpp/test-support/vaults/new-vault";
import { listEarlierMarks } from "../../model/canaries.ts";
import { loadVault } from "../../model/loaded-vault.ts";
import type { Marks } from "../checks/exchange-checks.ts";
import { type ClientOf, createClientFor, type Tally } from "../client.ts";
import { runSilently } from "../hosts/silence.ts";
import type { HostileVault } from "../vaults/hostile-vault.ts";
import { WalkError } from "../walk.ts";
import { compareConsole } from "./expected.ts";
import { proveConsoleSearches } from "./searches.ts";
import { createTameTwin } from "./vault.ts";
import { signInBrowser, type WalkResult, walkConsole } from "./walk.ts";

/**
 * One generated vault in the console, under each of its grants, compared with the same vault without hostile text.
 */
export async function proveConsole(hostile: HostileVault, engine: EngineName, tally: Tally): Promise<void> {
  const twin = createTameTwin(hostile);
  const pages = await walkAllGrants(hostile, engine, tally, check);
  const tame = await walkAllGrants(twin, engine, tally, () => undefined);
  for (const [i, seen] of pages.entries()) {
    checkSameShapes(seen, tame[i]);
    tally.grants += 1;
  }
  tally.vaults += 1;
}

async function walkAllGrants(
  { spec, grants }: HostileVault,
  engine: EngineName,
  tally: Tally,
  looked: (client: ClientOf, seen: WalkResult) => void,
): Promise<WalkResult[]> {
  const vault = await loadVault(engine, spec);
  try {
    const open = await signInBrowser(vault);
    const under: WalkResult[] = [];
    for (const request of grants) {
      const client = await createClientFor(vault, spec, request, tally);
      const walked = {
        client,
        open,
        worn: await findId(client),
        marks: withNames(client),
        earlier: listEarlierMarks(client.world, spec.writes[0] ?? [], vault.now),
      };
      const seen = await runSilently(async () => {
        const all = await walkConsole(walked);
        await proveConsoleSearches(walked, all);
        return all;
      });
      looked(client, seen);
      under.push(seen);
    }
    return under;
  } finally {
    await vault.drop();
  }
}

/** The package a client has, or its only grant. */
async function findId({ vault, token }: ClientOf): Promise<string> {
  const [held] = await vault.grantsBehind(token);
  if (held === undefined) throw new Error("nothing was granted");
  return held.grant.package_id ?? held.grant.grant_id;
}

const findMarksIn = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.match(/CNRY_[a-z0-9]+_/g) ?? []);

/** Names of sources and fields are canaries too; those in the grant may be shown. */
function withNames({ world: { vault, sources }, marks }: ClientOf): Marks {
  const streams = vault.connectors.flatMap(({ streams: all }) => all);
  const labels = vault.connections.map(({ label = "" }) => label);
  const shown = vault.connections.filter(({ id }) => sources.some(({ connectionIds }) => connectionIds.includes(id)));
  const fields = sources.flatMap((source) => [...source.fields]);
  return {
    all: new Set([
      ...marks.all,
      ...findMarksIn([...labels, ...streams.flatMap((each) => each.fields.map(({ name }) => name))]),
    ]),
    allowed: new Set([...marks.allowed, ...findMarksIn([...shown.map(({ label = "" }) => label), ...fields])]),
  };
}

function check({ world, tally }: ClientOf, seen: WalkResult): void {
  const { faults, records, characters } = compareConsole({ world }, seen);
  tally.records += records;
  tally.characters += characters;
  if (faults.length > 0)
    throw new WalkError(`console, ${faults.length} faults:\n  ${faults.slice(0, 6).join("\n  ").slice(0, 4000)}`);
}

/** Pages must have the same elements: record text changes none. */
function checkSameShapes({ shapes }: WalkResult, tame: WalkResult | undefined): void {
  for (const [i, { url, shape }] of shapes.entries()) {
    const other = tame?.shapes[i];
    if (other?.shape === shape) continue;
    const [ours, theirs] = [shape.split("\n"), (other?.shape ?? "").split("\n")];
    const at = ours.findIndex((line, n) => line !== theirs[n]);
    throw new WalkError(
      `${url} has other elements than ${other?.url}: ${ours[at]} where a harmless vault has ${theirs[at]} (${ours.length} and ${theirs.length})`,
    );
  }
}
