import type { EngineName } from "@pdpp/test-support/vaults/new-vault";
import { peopleConnectorKey, peopleStream } from "#contract/owner/people";
import { createOwner } from "#server/owner/owner";
import { listEarlierMarks } from "../../model/canaries.ts";
import { type LoadedVault, loadVault } from "../../model/loaded-vault.ts";
import type { GrantRequest, VaultSpec } from "../../model/spec.ts";
import type { Marks } from "../checks/exchange-checks.ts";
import { type ClientOf, createClientFor, type Tally } from "../client.ts";
import { runSilently } from "../hosts/silence.ts";
import type { HostileVault } from "../vaults/hostile-vault.ts";
import { WalkError } from "../walk.ts";
import { compareConsole } from "./expected.ts";
import { proveConsoleSearches } from "./searches.ts";
import { createTameTwin } from "./vault.ts";
import { type Browser, signInBrowser, type WalkResult, walkConsole, walkPeople } from "./walk.ts";

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
    // People come from all records, so that those outside of a grant could leak through them.
    await createOwner({ store: vault.store, ownerNo: 1, now: () => vault.readAt }).people.derive();
    const open = await signInBrowser(vault);
    const under: WalkResult[] = [];
    for (const request of [...grants, undefined]) {
      const client = await createClientFor(vault, spec, request ?? grantEverything(spec), tally);
      const marks = withNames(client);
      const walked = {
        client,
        open,
        worn: request === undefined ? undefined : await findId(client),
        marks: request === undefined ? { all: marks.all, allowed: marks.all } : marks,
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
    const [request] = grants;
    if (request !== undefined) await runSilently(() => provePeopleUnderGrant(vault, spec, request, open, tally));
    return under;
  } finally {
    await vault.drop();
  }
}

/**
 * A grant that also covers People. They summarize all sources, so their own texts may be of any of them; the records
 * that a person's page lists may not.
 */
async function provePeopleUnderGrant(
  vault: LoadedVault,
  spec: VaultSpec,
  request: GrantRequest,
  open: Browser,
  tally: Tally,
): Promise<void> {
  const owner = createOwner({ store: vault.store, ownerNo: 1, now: () => vault.readAt });
  const texts: string[] = [];
  for await (const record of (await owner.reader()).export({}))
    if (record.stream === peopleStream) texts.push(JSON.stringify(record.data));
  // Without people there is nothing to grant.
  if (texts.length === 0) return;
  const client = await createClientFor(vault, spec, request, tally);
  const people = { connector_key: peopleConnectorKey, streams: [{ name: peopleStream }] };
  const { grants } = await owner.grants.issue({ client: { name: "People" }, sources: [...request.sources, people] });
  const issued = await owner.grants.get(grants[0]?.grant_id ?? "");
  if (issued.object !== "grant") throw new Error("no grant was issued");
  const { all, allowed } = withNames(client);
  const marks = { all, allowed: new Set([...allowed, ...findMarksIn(texts)]) };
  await walkPeople({ client, open, worn: issued.package_id ?? issued.grant_id, marks, earlier: new Set() });
}

/** The owner sees what a client with a grant of everything does. */
const grantEverything = ({ connectors, connections }: VaultSpec): GrantRequest => ({
  client: { name: "Everything" },
  sources: connectors
    .filter(({ key }) => connections.some(({ connectorKey }) => connectorKey === key))
    .map(({ key, streams }) => ({ connector_key: key, streams: streams.map(({ name }) => ({ name })) })),
});

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
