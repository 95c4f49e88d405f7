import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { it } from "vitest";
import { listAllowedMarks } from "./canaries.ts";
import { Mismatch } from "./check-answer.ts";
import { buildGrant } from "./generators/grant-generator.ts";
import { buildRequest } from "./generators/request-generator.ts";
import { buildVault } from "./generators/vault-generator.ts";
import { loadVault, readJson, readText } from "./loaded-vault.ts";
import { buildPath, type ReadRequest } from "./requests.ts";
import { canSee } from "./rules/grant.ts";
import {
  type Client,
  drawScenarioBlueprint,
  expectSameAnswers,
  explainFailure,
  readSettings,
  Scenario,
  type Scenario as Vaults,
  withScenario,
} from "./scenario.ts";
import { createTwin } from "./twin.ts";

const requests = fc.array(fc.record({ op: fc.nat({ max: 11 }), seed: fc.nat() }), {
  minLength: 30,
  maxLength: 80,
  size: "max",
});

it("[AUT-4] [AUT-20] returns the same bytes from a vault that differs only outside the grant", async () => {
  await fc.assert(
    fc.asyncProperty(drawScenarioBlueprint(), requests, fc.boolean(), async ({ vault, grants }, list, isQuiet) => {
      const spec = buildVault(vault);
      const scenario = await Scenario.of(spec, "sqlite");
      const client = await scenario.issue(buildGrant(spec, grants[0]!, "client"));
      const twinSpec = createTwin(spec, client.sources, isQuiet);
      const twin = await loadVault("sqlite", twinSpec);
      try {
        const issued = { token: client.token, grants: [] };
        await twin.adopt(scenario.sqlite, issued);
        const bookmarks: Bookmarks = new Map();
        await expectSameChanges(client, scenario, twin, bookmarks);
        for (const [n, batch] of spec.writes.entries()) {
          if (n > 0) {
            await scenario.write(batch);
            twin.now = scenario.sqlite.now;
            await twin.write(twinSpec.writes[n] ?? []);
          }
          for (const { op, seed } of list.filter((_, i) => i % spec.writes.length === n)) {
            const path = buildPath(buildRequest(scenario.world(client), op, seed));
            await expectSameAnswer(client, scenario, twin, path, path);
          }
          await expectSameChanges(client, scenario, twin, bookmarks);
        }
      } finally {
        await Promise.all([scenario.drop(), twin.drop()]);
      }
    }),
    readSettings(chooseRuns(4, 10)),
  );
});

async function expectSameAnswer(
  client: Client,
  scenario: Vaults,
  twin: Vaults["sqlite"],
  path: string,
  twinPath: string,
) {
  const [one, two] = await Promise.all([scenario.sqlite.get(client.token, path), twin.get(client.token, twinPath)]);
  try {
    expectSameAnswers(one, two);
  } catch (error) {
    throw explainFailure(error, { path, grant: client.request });
  }
  return [one, two] as const;
}

/** Where the next walk starts, per stream and connection, in the vault and in its twin. */
type Bookmarks = Map<string, readonly [string, string]>;

async function expectSameChanges(client: Client, scenario: Vaults, twin: Vaults["sqlite"], bookmarks: Bookmarks) {
  for (const { stream, connectionIds } of client.sources) {
    for (const id of connectionIds) {
      const list = buildPath({ op: "list" as const, stream: stream.name, connection_id: id, limit: "3" });
      const from = bookmarks.get(list) ?? (["beginning", "beginning"] as const);
      let paths = from.map((bookmark) => `${list}&changes_since=${bookmark}`);
      for (;;) {
        const [path = "", twinPath = ""] = paths;
        const answers = await expectSameAnswer(client, scenario, twin, path, twinPath);
        const pages = answers.map((answer) => readJson(answer) as unknown as Page);
        const [one, two] = pages.map((page) => page.next_changes_since);
        if (one !== undefined && two !== undefined) {
          bookmarks.set(list, [one, two]);
          break;
        }
        if (pages[0]?.data.length === 0) throw explainFailure(new Mismatch("an empty page"), { path });
        paths = pages.map((page) => page.links.next ?? "");
      }
    }
  }
}

interface Page {
  readonly data: unknown[];
  readonly next_changes_since?: string;
  readonly links: { readonly next: string | null };
}

/** The same response apart from the requested name. */
async function alike(
  scenario: Vaults,
  client: Client,
  hidden: [ReadRequest, string],
  absent: [ReadRequest, string],
): Promise<void> {
  const say = async ([request, name]: [ReadRequest, string]) => {
    const answer = await scenario.get(client, buildPath(request), listAllowedMarks(scenario.world(client)));
    return `${answer.status} ${readText(answer).replaceAll(JSON.stringify(JSON.stringify(name)).slice(1, -1), "NAME")}`;
  };
  const [one, two] = [await say(hidden), await say(absent)];
  if (one !== two)
    throw explainFailure(new Mismatch(`a hidden item can be distinguished from a missing one\n  ${one}\n  ${two}`), {
      hidden,
      grant: client.request,
    });
}

it("[AUT-3] [AUT-4] makes hidden records, streams, connections and blobs look like missing ones", async () => {
  await fc.assert(
    fc.asyncProperty(drawScenarioBlueprint(), async (blueprint) => {
      await withScenario(blueprint, async (scenario) => {
        for (const client of scenario.clients) await hiddenThings(scenario, client);
      });
    }),
    readSettings(chooseRuns(2, 4)),
  );
});

async function hiddenThings(scenario: Vaults, client: Client): Promise<void> {
  const { snapshot, vault } = scenario.world(client);
  const [first] = client.sources;
  const records = [...snapshot.values()].filter((record) => record.data !== null);
  for (const source of client.sources) {
    for (const connection_id of source.connectionIds) {
      const near = records.filter(
        ({ connectorKey, stream }) => connectorKey === source.connectorKey && stream === source.stream.name,
      );
      const seen = new Set(
        near.filter((r) => r.connectionId === connection_id && canSee(source, r)).map(({ key }) => key),
      );
      const fetch = (record_id: string): ReadRequest => ({
        op: "fetch",
        stream: source.stream.name,
        connection_id,
        record_id,
      });
      for (const { key } of near.filter((record) => !seen.has(record.key)).slice(0, 4)) {
        await alike(scenario, client, [fetch(key), key], [fetch("never-there"), "never-there"]);
      }
    }
  }
  const granted = new Set(client.sources.flatMap(({ connectionIds }) => connectionIds));
  for (const { id } of vault.connections.filter((connection) => !granted.has(connection.id))) {
    const narrowed = (connection_id: string): ReadRequest[] => [
      { op: "list", stream: first!.stream.name, connection_id },
      { op: "streams", connection_id },
      { op: "export", connection_id },
      { op: "blob", blob_id: vault.blobs[0]!.ref.blob_id, connection_id },
    ];
    const absent = narrowed("never-there");
    for (const [i, request] of narrowed(id).entries())
      await alike(scenario, client, [request, id], [absent[i]!, "never-there"]);
  }
  const names = new Set(client.sources.map(({ stream }) => stream.name));
  const streams = vault.connectors.flatMap((connector) => connector.streams).filter(({ name }) => !names.has(name));
  for (const { name } of streams) {
    const list = (stream: string): ReadRequest => ({ op: "list", stream });
    await alike(scenario, client, [list(name), name], [list("never-there"), "never-there"]);
  }
  for (const { ref } of vault.blobs) {
    const read = (blob_id: string): ReadRequest => ({ op: "blob", blob_id });
    const answer = await scenario.get(client, buildPath(read(ref.blob_id)));
    if (answer.status === 404)
      await alike(scenario, client, [read(ref.blob_id), ref.blob_id], [read("never-there"), "never-there"]);
  }
}
