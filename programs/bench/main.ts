import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openStore } from "@pdpp/server/store/store";
import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import { measureAggregates } from "./aggregates.ts";
import { measureExport } from "./export.ts";
import { measureHosted } from "./hosted.ts";
import { measureHttp } from "./http/main.ts";
import { measureImports } from "./import.ts";
import { measureIngest } from "./ingest.ts";
import { measureLatency } from "./latency.ts";
import { measureListing } from "./listing.ts";
import { measureImap } from "./mail/imap.ts";
import { type Figure, formatTable, isOver } from "./measure.ts";
import { measureOwners } from "./owners/main.ts";
import { drawCosts } from "./plot.ts";
import { openRaw } from "./raw.ts";
import { connectorKey, streamName } from "./records.ts";
import { openReportSection } from "./report.ts";
import { measureSearch } from "./search.ts";
import { openGrantedReader, type Place } from "./vault.ts";

const usage = `npm run bench -- [options]

  --records N         number of records, at least 1000 (default: 100000)
  --engine ENGINE     sqlite (default) or postgres
  --owners N          with --engine postgres: the same reads with one owner and with N, of --records each
  --only PART         search, export, hosted, import or imap (of --records mails), or console
  --http              the real server over HTTP, next to a floor; --only then names a part of the reads' names, or
                      "memory" (under load for --minutes N), or "small reads" (alone and next to heavy ones)
  --vault FOLDER      with --http or --only console: keep the vault there, and use it if it exists
  --json FILE         also write the figures as JSON
  --write             also replace the table in docs/testing/benchmarks.md
  --check             exit with 1 if a figure exceeds its limit

docs/testing/benchmarks.md says what is measured.`;

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    records: { type: "string", default: "100000" },
    engine: { type: "string", default: "sqlite" },
    json: { type: "string" },
    only: { type: "string" },
    owners: { type: "string" },
    http: { type: "boolean", default: false },
    minutes: { type: "string", default: "10" },
    vault: { type: "string" },
    write: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});

if (options.help) {
  console.log(usage);
  process.exit();
}
const parts = ["search", "export", "hosted", "import", "imap", "console"];
if (!options.http && options.only !== undefined && !parts.includes(options.only))
  throw new Error(`--only takes ${parts.join(", ")}`);
if (options.vault !== undefined && !options.http && options.only !== "console")
  throw new Error("--vault goes with --http or --only console");
const count = Number(options.records);
if (!Number.isInteger(count) || count < 1000) throw new Error("--records must be a whole number of at least 1000");
if (options.engine !== "sqlite" && options.engine !== "postgres")
  throw new Error("--engine must be sqlite or postgres");

// Opened first, so that a missing section is reported before the long run.
const httpParts: Readonly<Record<string, string>> = { memory: "memory", "small reads": "small-reads" };
const httpPart = options.http ? (httpParts[options.only ?? ""] ?? "http") : undefined;
const part = options.owners === undefined ? (httpPart ?? options.only ?? "all") : "owners";
const report = options.write ? openReportSection(`${part} ${options.engine}`) : undefined;

const server = options.engine === "postgres" ? await startPostgres() : undefined;
await server?.createDatabase("bench");
await server?.createDatabase("bench_search");
const workDir = mkdtempSync(join(tmpdir(), "pdpp-bench-"));
const owners = options.owners === undefined ? undefined : Number(options.owners);
const comparesEngines = options.only === "search" && server !== undefined;
const note = (text: string) => process.stderr.write(`${text}\n`);
try {
  const figures = await runBenchmarks({
    dataDir: options.vault ?? join(workDir, "vault"),
    ...(server === undefined ? {} : { databaseUrl: `${server.url}/bench` }),
  });
  const table = formatTable(figures, chooseNames());
  process.stdout.write(`${describeMachine()}\n\n${table}\n`);
  report?.write(`${formatTitle()}: ${describeMachine()}\n\n${table}`);
  if (report !== undefined && part === "http") writePlot(`http-costs-${options.engine}.svg`, figures);
  if (options.json !== undefined) {
    writeFileSync(
      options.json,
      `${JSON.stringify({ about: describeMachine(), records: count, engine: options.engine, figures }, null, 2)}\n`,
    );
  }
  if (options.check && figures.some(isOver)) process.exitCode = 1;
} finally {
  await server?.stop();
  rmSync(workDir, { recursive: true, force: true });
}

function chooseNames(): [string, string] | undefined {
  if (owners !== undefined) return [`${owners} owners`, "1 owner"];
  return comparesEngines ? ["PostgreSQL", "SQLite"] : undefined;
}

async function runBenchmarks(place: Place): Promise<Figure[]> {
  if (owners !== undefined) {
    const { databaseUrl } = place;
    if (databaseUrl === undefined) throw new Error("--owners goes with --engine postgres");
    return measureOwners({ place: { ...place, databaseUrl }, count, owners, note });
  }
  if (options.http) return measureHttp({ place, count, only: options.only, minutes: Number(options.minutes), note });
  const measureSearchOnly = () =>
    measureSearch(workDir, count, server === undefined ? undefined : `${server.url}/bench_search`);
  if (options.only === "search") return measureSearchOnly();
  if (options.only === "export") return measureExport(count);
  if (options.only === "imap") return measureImap(workDir, count);
  if (options.only === "import") return measureImports(workDir, count);
  if (options.only === "console") {
    // Pages can be loaded once the console has registered what compiles them.
    await import("@pdpp/console");
    const { measureConsole } = await import("./console.ts");
    return measureConsole(place, count, note);
  }
  mkdirSync(place.dataDir, { recursive: true });
  note(`ingesting ${count} records, ours and raw ...`);
  const figures = await measureIngest(place, workDir, count);
  note(formatTable(figures));
  if (options.only === "hosted") return measureHosted(place);
  const store = await openStore(place);
  const raw = await openRaw(place);
  try {
    const stream = (await store.catalog()).connectors.get(connectorKey)!.streams.get(streamName)!;
    const api = await openGrantedReader(store);
    note("listing ...");
    figures.push(...(await measureListing(api)));
    note("aggregates ...");
    figures.push(...(await measureAggregates(api, raw, stream)));
    note("single records ...");
    figures.push(...(await measureLatency(api, raw, stream, count)));
  } finally {
    await raw.close();
    await store.close();
  }
  note("hosted ...");
  figures.push(...(await measureHosted(place)));
  note("search ...");
  figures.push(...(await measureSearchOnly()));
  return figures;
}

function writePlot(name: string, figures: readonly Figure[]): void {
  const title = `CPU time per request: ${describeMachine()}`;
  const single = figures.filter(({ what }) => !what.endsWith(" clients"));
  writeFileSync(new URL(`../../docs/testing/${name}`, import.meta.url), drawCosts(title, single));
}

function formatTitle(): string {
  const only = options.only === undefined ? "" : ` --only ${options.only}`;
  const http = options.http ? " --http" : "";
  const many = owners === undefined ? "" : ` --owners ${owners}`;
  return `\`npm run bench --${http}${many}${only} --records ${count} --engine ${options.engine}\``;
}

function describeMachine(): string {
  const [cpu] = cpus();
  return `${options.engine}, ${count} records, Node ${process.version}, ${cpus().length} x ${cpu?.model ?? "unknown processor"}`;
}
