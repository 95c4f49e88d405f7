import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { buildRequest } from "./generators/request-generator.ts";
import { type BlobRequest, buildPath } from "./requests.ts";
import { predict } from "./rules/predict.ts";
import { drawScenarioBlueprint, readSettings, withScenario } from "./scenario.ts";

const requests = fc.array(fc.record({ client: fc.nat(), op: fc.nat({ max: 11 }), seed: fc.nat() }), {
  minLength: 70,
  maxLength: 130,
  size: "max",
});

let asked = 0;

it("[AUT-3] [AUT-4] [AMB-1] [BIG-3] [BIG-5] returns from every REST read exactly what the grant allows, on both engines, byte for byte", async () => {
  await fc.assert(
    fc.asyncProperty(drawScenarioBlueprint(), requests, async (blueprint, list) => {
      await withScenario(blueprint, async (scenario) => {
        for (const { client, op, seed } of list) {
          const who = scenario.clients[client % scenario.clients.length]!;
          await scenario.check(who, buildRequest(scenario.world(who), op, seed));
        }
        asked += scenario.requests;
      });
    }),
    readSettings(chooseRuns(4, 20)),
  );
  expect(asked).toBeGreaterThan(0);
  console.info(`model: ${asked} requests compared`);
});

it("[BIG-3] returns the bytes of a readable blob in full, in ranges and for HEAD, and of no other blob", async () => {
  let readable = 0;
  await fc.assert(
    fc.asyncProperty(drawScenarioBlueprint(), async (blueprint) => {
      await withScenario(blueprint, async (scenario) => {
        for (const client of scenario.clients) {
          for (const { ref } of scenario.spec.blobs) {
            for (const { id } of scenario.spec.connections) {
              const request: BlobRequest = { op: "blob", blob_id: ref.blob_id, connection_id: id };
              const whole = await scenario.check(client, request);
              const expected = predict(scenario.world(client), request);
              for (const vault of scenario.vaults) {
                const head = await vault.get(client.token, buildPath(request), { method: "HEAD" });
                expect([head.status, head.bytes.length]).toEqual([whole.status, 0]);
                const ranged = (range: string) => vault.get(client.token, buildPath(request), { headers: { range } });
                if (!("bytes" in expected)) {
                  expect((await ranged("bytes=0-0")).status).toBe(whole.status);
                  continue;
                }
                readable += 1;
                const { bytes } = expected;
                expect(head.headers["content-length"]).toBe(String(bytes.length));
                const slices: [string, number, number][] = [
                  ["bytes=0-3", 0, 4],
                  ["bytes=2-", 2, bytes.length],
                  ["bytes=-2", bytes.length - 2, bytes.length],
                ];
                for (const [range, from, to] of slices) {
                  const part = await ranged(range);
                  if (bytes.length === 0) expect(part.status).toBe(416);
                  else {
                    expect(part.status).toBe(206);
                    expect(Buffer.from(part.bytes)).toEqual(Buffer.from(bytes.subarray(from, to)));
                    expect(part.headers["content-range"]).toBe(`bytes ${from}-${to - 1}/${bytes.length}`);
                  }
                }
                expect((await ranged(`bytes=${bytes.length}-`)).status).toBe(416);
              }
            }
          }
        }
      });
    }),
    { ...readSettings(chooseRuns(2, 4)), seed: 7 },
  );
  expect(readable).toBeGreaterThan(0);
});
