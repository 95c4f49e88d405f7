import type { JsonObject } from "@pdpp/contract/declaration";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { it } from "vitest";
import { listAllowedIdMarks, listAllowedMarks } from "./canaries.ts";
import { Mismatch } from "./check-answer.ts";
import { readJson, readText } from "./loaded-vault.ts";
import { buildPath } from "./requests.ts";
import { listChangesBetween } from "./rules/changes.ts";
import type { Source } from "./rules/grant.ts";
import type { Snapshot } from "./rules/vault.ts";
import {
  type Client,
  drawScenarioBlueprint,
  explainFailure,
  readSettings,
  type Scenario,
  withScenario,
} from "./scenario.ts";

interface Page {
  data: JsonObject[];
  has_more: boolean;
  next_cursor?: string;
  next_changes_since?: string;
  links: { next: string | null };
}

interface Walk {
  readonly client: Client;
  readonly source: Source;
  readonly fields?: string[];
  readonly limit: string;
  since: { readonly bookmark: string; readonly snapshot: Snapshot };
}

const pathTo = ({ source, fields, limit, since }: Walk): string => {
  const list = {
    op: "list" as const,
    stream: source.stream.name,
    ...(source.connectionIds.length === 1 ? { connection_id: source.connectionIds[0]! } : {}),
    ...(fields === undefined ? {} : { fields }),
    limit,
  };
  return `${buildPath(list)}&changes_since=${encodeURIComponent(since.bookmark)}`;
};

/** Walks from the last bookmark to the end; `during` runs between the first two pages. */
async function follow(scenario: Scenario, walk: Walk, during?: () => Promise<void>): Promise<void> {
  const now = scenario.model.snapshot;
  const world = scenario.world(walk.client);
  // A walk keeps showing the moment it started at.
  const allowed = listAllowedMarks(world).union(listAllowedIdMarks({ ...world, snapshot: walk.since.snapshot }));
  const expected = listChangesBetween(world, walk.source, walk.since.snapshot, now, walk.fields);
  const found: JsonObject[] = [];
  let path = pathTo(walk);
  try {
    for (let page = 0; ; page++) {
      const answer = await scenario.get(walk.client, path, allowed);
      if (answer.status !== 200) throw new Mismatch(`${answer.status} ${readText(answer)}`);
      const body = readJson(answer) as unknown as Page;
      found.push(...body.data);
      if (page > 500) throw new Mismatch("the walk does not end");
      if (body.data.length > Number(walk.limit)) throw new Mismatch("a page is too long");
      if (page === 0 && during !== undefined) await during();
      if (!body.has_more) {
        if (body.next_changes_since === undefined || body.links.next !== null)
          throw new Mismatch("the last page has no bookmark");
        if (page > 0 && body.data.length === 0)
          throw new Mismatch("an empty page reveals changes that the grant does not show");
        walk.since = { bookmark: body.next_changes_since, snapshot: now };
        break;
      }
      path = body.links.next!;
    }
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      throw new Mismatch(
        `changes\n  got      ${JSON.stringify(found).slice(0, 3000)}\n  expected ${JSON.stringify(expected).slice(0, 3000)}`,
      );
    }
  } catch (error) {
    throw explainFailure(error, { path, fields: walk.fields, grant: walk.client.request });
  }
}

const options = fc.record({ limit: fc.nat(), fields: fc.nat(), during: fc.boolean() });

it("[AUT-3] [AUT-4] returns from changes_since exactly what changed in the grant's projection, whatever else is written", async () => {
  await fc.assert(
    fc.asyncProperty(drawScenarioBlueprint(120), options, async (blueprint, { limit, fields: chosen, during }) => {
      await withScenario(blueprint, async (scenario) => {
        const empty: Snapshot = new Map();
        const walks = scenario.clients.flatMap((client) =>
          client.sources.flatMap((source, i): Walk[] => {
            const alike = client.sources.filter((other) => other.stream.name === source.stream.name);
            if (alike.length > 1 && source.connectionIds.length > 1) return [];
            const some = [...source.fields].filter((_, f) => ((chosen >> f) & 1) === 0);
            const narrowed = i % 2 === 0 || some.length === 0 ? {} : { fields: some };
            const size = ["1", "2", "5", "100"][(limit + i) % 4]!;
            return [{ client, source, ...narrowed, limit: size, since: { bookmark: "beginning", snapshot: empty } }];
          }),
        );
        for (const walk of walks) await follow(scenario, walk);
        for (const batch of scenario.spec.writes.slice(1)) {
          await scenario.write(batch.slice(0, -2));
          let last = batch.slice(-2);
          for (const walk of walks) {
            await follow(scenario, walk, during && last.length > 0 ? () => scenario.write(last.splice(0)) : undefined);
          }
          if (last.length > 0) await scenario.write(last);
          last = [];
          for (const walk of walks) await follow(scenario, walk);
        }
      });
    }),
    readSettings(chooseRuns(4, 10)),
  );
});
