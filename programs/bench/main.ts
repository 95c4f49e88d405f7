import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openStore } from "@pdpp/server/store/store";
import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import { benchAggregates } from "./aggregates.ts";
import { benchConsole } from "./console.ts";
import { benchExport } from "./export.ts";
import { benchHosted } from "./hosted.ts";
import { benchImport } from "./import.ts";
import { benchIngest } from "./ingest.ts";
import { benchLatency } from "./latency.ts";
import { benchListing } from "./listing.ts";
import { type Figure, isOver, tableOf } from "./measure.ts";
import { openRaw } from "./raw.ts";
import { connectorKey, streamName } from "./records.ts";
import { benchSearch } from "./search.ts";
import { grantedReader, type Place } from "./vault.ts";

const usage = `npm run bench -- [options]

  --records N         how many records, 1000 at least (100000)
  --engine ENGINE     sqlite (the default) or postgres
  --only PART         search, export, hosted, import (of --records mails) or console
  --json FILE         the figures as JSON too
  --check             exit code 1 when a figure is over its limit

docs/bench.md says what is measured.`;

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    records: { type: "string", default: "100000" },
    engine: { type: "string", default: "sqlite" },
    json: { type: "string" },
    only: { type: "string" },
    check: { type: "boolean", default: false },
  },
});

if (options.help) {
  console.log(usage);
  process.exit();
}
const parts = ["search", "export", "hosted", "import", "console"];
if (options.only !== undefined && !parts.includes(options.only)) throw new Error(`--only takes ${parts.join(", ")}`);
const count = Number(options.records);
if (!Number.isInteger(count) || count < 1000) throw new Error("--records must be a whole number, 1000 at least");
if (options.engine !== "sqlite" && options.engine !== "postgres")
  throw new Error("--engine must be sqlite or postgres");

const server = options.engine === "postgres" ? await startPostgres() : undefined;
await server?.createDatabase("bench");
await server?.createDatabase("bench_search");
const workDir = mkdtempSync(join(tmpdir(), "pdpp-bench-"));
const note = (text: string) => process.stderr.write(`${text}\n`);
try {
  const figures = await bench({
    dataDir: join(workDir, "vault"),
    ...(server === undefined ? {} : { databaseUrl: `${server.url}/bench` }),
  });
  process.stdout.write(`${about()}\n\n${tableOf(figures)}\n`);
  if (options.json !== undefined) {
    writeFileSync(
      options.json,
      `${JSON.stringify({ about: about(), records: count, engine: options.engine, figures }, null, 2)}\n`,
    );
  }
  if (options.check && figures.some(isOver)) process.exitCode = 1;
} finally {
  await server?.stop();
  rmSync(workDir, { recursive: true, force: true });
}

async function bench(place: Place): Promise<Figure[]> {
  const searched = () => benchSearch(workDir, count, server === undefined ? undefined : `${server.url}/bench_search`);
  if (options.only === "search") return searched();
  if (options.only === "export") return benchExport(count);
  if (options.only === "import") return benchImport(workDir, count);
  if (options.only === "console") return benchConsole(place, count, note);
  mkdirSync(place.dataDir, { recursive: true });
  note(`ingesting ${count} records, ours and raw ...`);
  const figures = await benchIngest(place, workDir, count);
  note(tableOf(figures));
  if (options.only === "hosted") return benchHosted(place);
  const store = await openStore(place);
  const raw = await openRaw(place);
  try {
    const stream = (await store.catalog()).connectors.get(connectorKey)!.streams.get(streamName)!;
    const api = await grantedReader(store);
    note("listing ...");
    figures.push(...(await benchListing(api)));
    note("aggregates ...");
    figures.push(...(await benchAggregates(api, raw, stream)));
    note("single records ...");
    figures.push(...(await benchLatency(api, raw, stream, count)));
  } finally {
    await raw.close();
    await store.close();
  }
  note("hosted ...");
  figures.push(...(await benchHosted(place)));
  note("search ...");
  figures.push(...(await searched()));
  return figures;
}

function about(): string {
  const [cpu] = cpus();
  return `${options.engine}, ${count} records, Node ${process.version}, ${cpus().length} x ${cpu?.model ?? "unknown processor"}`;
}
