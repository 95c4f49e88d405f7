import { parseManifest } from "@pdpp/contract/manifest";
import { measureLoopCpu } from "@pdpp/test-support/processes/event-loop";
import type { Attack } from "./attack.ts";
import { asOwner } from "./served.ts";

/** Regular expressions that make a backtracking matcher run practically forever, with the inputs that trigger it. */
const patterns = ["^(a+)+$", "^(a|aa)+$", "^(a|a)*$", "^(.*a){20}$", "^(([a-z])+.)+[A-Z]([a-z])+$", "a*a*a*a*a*a*b"];
const texts = [40, 5000, 200_000].map((length) => `${"a".repeat(length)}!`);
const allowedMs = 500;

export const hangingPatterns: Attack = {
  name: "a regular expression that backtracks forever",
  engines: ["sqlite"],
  run: (target) =>
    asOwner(target, async (owner) => {
      const fields = Object.fromEntries(patterns.map((pattern, n) => [`f${n}`, { type: "string", pattern }]));
      await owner.connectors.register(
        parseManifest({
          connector_key: "hostile",
          version: "1",
          streams: [
            {
              name: "s",
              primary_key: ["id"],
              schema: { type: "object", properties: { id: { type: "string" }, ...fields } },
            },
          ],
        }),
      );
      await owner.connections.add({ connector_key: "hostile", connection_id: "home" });
      const lines = (async function* () {
        for (const [n] of patterns.entries()) {
          for (const text of texts) yield Buffer.from(`${JSON.stringify({ data: { id: "a", [`f${n}`]: text } })}\n`);
        }
      })();
      let rejected = 0;
      const { longest } = await measureLoopCpu(async () => {
        const report = await owner.records.ingest({ connection_id: "home", stream: "s" }, lines);
        rejected = report.records_rejected;
      });
      return {
        held: longest < allowedMs && rejected >= patterns.length,
        figure: `${patterns.length * texts.length} records over ${patterns.length} patterns, longest pause ${longest.toFixed(0)} ms`,
      };
    }),
};
