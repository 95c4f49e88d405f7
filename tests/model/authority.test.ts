import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Mismatch } from "./check-answer.ts";
import { buildRequest } from "./generators/request-generator.ts";
import { readJson, readText } from "./loaded-vault.ts";
import { buildPath, type ReadRequest } from "./requests.ts";
import {
  type Client,
  drawScenarioBlueprint,
  explainFailure,
  readSettings,
  type Scenario,
  withScenario,
} from "./scenario.ts";

const listRoutes = (client: Client): ReadRequest[] => {
  const stream = client.sources[0]!.stream.name;
  return [
    { op: "schema" },
    { op: "connectors" },
    { op: "streams" },
    { op: "stream", stream },
    { op: "list", stream },
    { op: "fetch", stream, record_id: "x" },
    { op: "aggregate", stream, metric: "count" },
    { op: "blob", blob_id: "x" },
    { op: "export" },
  ];
};

async function expectAllRejected(scenario: Scenario, client: Client, status: number, code: string): Promise<void> {
  const none: Client = { ...client, sources: [] };
  for (const request of listRoutes(client)) {
    const answer = await scenario.get(none, buildPath(request));
    if (answer.status !== status || !readText(answer).includes(`"code":"${code}"`)) {
      throw explainFailure(new Mismatch(`not ${status} ${code} but ${answer.status} ${readText(answer)}`), { request });
    }
  }
}

const revokeIn = async (scenario: Scenario, id: string): Promise<void> => {
  for (const vault of scenario.vaults) expect(await vault.revoke(id)).toBe(true);
};

it("[AUT-5] [AUT-6] rejects the very next request after a revocation, and a package loses only the revoked grant", async () => {
  await fc.assert(
    fc.asyncProperty(
      drawScenarioBlueprint(60),
      fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
      async (blueprint, seeds) => {
        await withScenario(blueprint, async (scenario) => {
          for (const client of scenario.clients) {
            for (const [i, grantId] of client.grantIds.entries()) {
              const rest: Client = {
                ...client,
                sources: client.sources.filter((source) => !client.grantIds.slice(0, i + 1).includes(source.grantId)),
              };
              await revokeIn(scenario, grantId);
              if (rest.sources.length === 0) break;
              for (const [op, seed] of seeds.entries())
                await scenario.check(rest, buildRequest(scenario.world(client), op, seed));
              if (i === client.grantIds.length - 2) break;
            }
            if (client.packageId !== undefined) await revokeIn(scenario, client.packageId);
            await expectAllRejected(
              scenario,
              client,
              403,
              client.packageId === undefined ? "grant_revoked" : "package_revoked",
            );
          }
        });
      },
    ),
    readSettings(chooseRuns(2, 3)),
  );
});

it("[AUT-5] ends a grant at its expiry time", async () => {
  const [blueprint] = fc.sample(drawScenarioBlueprint(30), { numRuns: 1, seed: 5 });
  await withScenario(blueprint!, async (scenario) => {
    const { request } = scenario.clients[0]!;
    const client = await scenario.issue({ ...request, expires_at: "2026-08-01T14:00:00+02:00" });
    const at = async (time: string) => {
      for (const vault of scenario.vaults) vault.readAt = Date.parse(time);
    };
    await at("2026-08-01T11:59:59.999Z");
    expect((await scenario.get(client, "/v1/streams")).status).toBe(200);
    await at("2026-08-01T12:00:00Z");
    await expectAllRejected(scenario, client, 403, "grant_expired");
  });
});

it("[AUT-3] treats cursors and bookmarks as names: another client, query or vault state cannot use them", async () => {
  await fc.assert(
    fc.asyncProperty(drawScenarioBlueprint(), async (blueprint) => {
      await withScenario(blueprint, async (scenario) => {
        const [first] = scenario.clients;
        const same = await scenario.issue(first!.request);
        for (const { stream, connectionIds, fields } of first!.sources) {
          const list = { op: "list" as const, stream: stream.name, connection_id: connectionIds[0]!, limit: "1" };
          const refuse = async (client: Client, path: string) => {
            const answer = await scenario.get(client, path);
            if (answer.status === 400 && readText(answer).includes('"code":"invalid_cursor"')) return;
            throw explainFailure(new Mismatch(`a foreign cursor is taken: ${answer.status} ${readText(answer)}`), {
              path,
              grant: client.request,
            });
          };
          const bookmark = readJson(
            await scenario.get(first!, `${buildPath({ ...list, limit: "100" })}&changes_since=beginning`),
          ) as { next_changes_since?: string };
          const since = bookmark.next_changes_since;
          if (since !== undefined) {
            await refuse(same, `${buildPath(list)}&changes_since=${since}`);
            await refuse(first!, `${buildPath(list)}&cursor=${since}`);
            await refuse(first!, `${buildPath(list)}&changes_since=beginning&cursor=${since}`);
          }
          await refuse(first!, `${buildPath(list)}&changes_since=2026-01-01`);
          const page = readJson(await scenario.get(first!, buildPath(list))) as { next_cursor?: string };
          const cursor = page.next_cursor;
          if (cursor === undefined) continue;
          await refuse(same, `${buildPath(list)}&cursor=${cursor}`);
          await refuse(first!, `${buildPath({ ...list, order: "asc" })}&cursor=${cursor}`);
          await refuse(first!, `${buildPath(list)}&cursor=${cursor}A`);
          await refuse(first!, `${buildPath(list)}&cursor=${cursor.slice(1)}`);
          await refuse(
            first!,
            `${buildPath(list)}&cursor=${cursor.replace(/.$/, (last) => (last === "A" ? "Q" : "A"))}`,
          );
          const filterable = stream.fields.find(({ name, kind }) => kind === "text" && fields.has(name));
          if (filterable)
            await refuse(first!, `${buildPath({ ...list, filter: { [filterable.name]: "x" } })}&cursor=${cursor}`);
          if (connectionIds.length > 1) {
            await refuse(first!, `${buildPath({ ...list, connection_id: connectionIds[1]! })}&cursor=${cursor}`);
          }
        }
      });
    }),
    readSettings(chooseRuns(2, 3)),
  );
});
