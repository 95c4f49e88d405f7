import fc from "fast-check";
import { findLeaks, listAllMarks, listAllowedMarks } from "./canaries.ts";
import { checkAnswer, Mismatch } from "./check-answer.ts";
import { buildGrant, type GrantBlueprint, grantBlueprints } from "./generators/grant-generator.ts";
import { buildVault, drawVaultBlueprint, type VaultBlueprint } from "./generators/vault-generator.ts";
import { type Answer, clock, type LoadedVault, loadVault, readText } from "./loaded-vault.ts";
import { buildPath, type ReadRequest } from "./requests.ts";
import { listSources, type Source } from "./rules/grant.ts";
import { predict } from "./rules/predict.ts";
import { ModelVault } from "./rules/vault.ts";
import type { World } from "./rules/world.ts";
import type { GrantRequest, VaultSpec, Write } from "./spec.ts";

/** One generated vault in SQLite, in PostgreSQL and in the model, with the same clients. */

/**
 * PDPP_MODEL_RUNS sets the number of vaults, PDPP_MODEL_SEED repeats a run, PDPP_MODEL_SHRINK finds the smallest
 * failing vault (slow, so off by default).
 */
export function readSettings<T>(usual: number): fc.Parameters<T> {
  const { PDPP_MODEL_RUNS: wanted, PDPP_MODEL_SEED: seed, PDPP_MODEL_SHRINK: shrink } = process.env;
  return {
    numRuns: Number(wanted ?? usual),
    endOnFailure: shrink === undefined,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    reporter: (result) => {
      if (!result.failed) return;
      const smallest = shrink === undefined ? "" : `\n${fc.stringify(result.counterexample)}`;
      const { errorInstance: error } = result;
      const said = error instanceof Mismatch ? error.message : error instanceof Error ? error.stack : String(error);
      throw new Error(`PDPP_MODEL_SEED=${result.seed}, vault ${result.numRuns}: ${said}${smallest}`);
    },
  };
}

export interface Client {
  readonly token: string;
  readonly request: GrantRequest;
  readonly sources: readonly Source[];
  readonly grantIds: readonly string[];
  readonly packageId?: string;
}

export class Scenario {
  readonly spec: VaultSpec;
  readonly model: ModelVault;
  readonly sqlite: LoadedVault;
  readonly postgres: LoadedVault | undefined;
  readonly clients: Client[] = [];
  requests = 0;
  readonly #marks: ReadonlySet<string>;

  constructor(spec: VaultSpec, sqlite: LoadedVault, postgres: LoadedVault | undefined) {
    this.spec = spec;
    this.sqlite = sqlite;
    this.postgres = postgres;
    this.model = new ModelVault(spec);
    this.#marks = listAllMarks(spec);
    for (const write of spec.writes[0] ?? []) this.model.write(write, sqlite.now);
  }

  static async of(spec: VaultSpec, engines: "both" | "sqlite" = "both"): Promise<Scenario> {
    const [sqlite, postgres] = await Promise.all([
      loadVault("sqlite", spec),
      engines === "both" ? loadVault("postgres", spec) : undefined,
    ]);
    return new Scenario(spec, sqlite, postgres);
  }

  get vaults(): LoadedVault[] {
    return [this.sqlite, ...(this.postgres ? [this.postgres] : [])];
  }

  world(client: Client): World {
    return { vault: this.spec, snapshot: this.model.snapshot, sources: client.sources };
  }

  async issue(request: GrantRequest): Promise<Client> {
    const issued = await this.sqlite.issue(request);
    await this.postgres?.adopt(this.sqlite, issued);
    const grantIds = issued.grants.map(({ grant_id }) => grant_id);
    const client: Client = {
      token: issued.token,
      request,
      grantIds,
      sources: listSources(this.spec, request, grantIds),
      ...(issued.package_id === undefined ? {} : { packageId: issued.package_id }),
    };
    this.clients.push(client);
    return client;
  }

  async write(batch: readonly Write[]): Promise<void> {
    for (const vault of this.vaults) {
      vault.now = clock - 86_400_000 + 1000 * (this.requests + 1);
      await vault.write(batch);
    }
    for (const write of batch) this.model.write(write, this.sqlite.now);
  }

  /** The response of both engines, which must be byte-equal and contain nothing outside the grant. */
  async get(client: Client, path: string, allowed = listAllowedMarks(this.world(client))): Promise<Answer> {
    const answers = await Promise.all(this.vaults.map((vault) => vault.get(client.token, path)));
    this.requests += 1;
    for (const [i, answer] of answers.entries()) {
      if (answer.status >= 500) {
        throw new Mismatch(
          `${i === 0 ? "SQLite" : "PostgreSQL"} failed: ${readText(answer)} ${String(this.vaults[i]!.bugs.at(-1))}`,
        );
      }
      const leaked = findLeaks(answer, path, allowed, this.#marks);
      if (leaked.length > 0) throw new Mismatch(`leaks ${leaked.join(", ")}: ${readText(answer).slice(0, 2000)}`);
    }
    const [first, second] = answers;
    if (second !== undefined) expectSameAnswers(first!, second);
    return first!;
  }

  async check(client: Client, request: ReadRequest): Promise<Answer> {
    const path = buildPath(request);
    try {
      const first = await this.get(client, path);
      const vault = { ...this.sqlite, get: (_token: string, next: string) => this.get(client, next) };
      await checkAnswer(
        { vault, token: client.token, path, seen: () => undefined },
        first,
        predict(this.world(client), request),
      );
      return first;
    } catch (error) {
      throw explainFailure(error, { request, path, grant: client.request });
    }
  }

  async drop(): Promise<void> {
    await Promise.all(this.vaults.map((vault) => vault.drop()));
  }
}

export function explainFailure(error: unknown, about: object): Error {
  const message = error instanceof Error ? error.message : String(error);
  const trace = error instanceof Mismatch || !(error instanceof Error) ? "" : `\n${error.stack}`;
  return new Mismatch(`${message}\n  in ${JSON.stringify(about, null, 1).slice(0, 6000)}${trace}`);
}

/** Bookmarks and cursors of changes are never equal, but have equal lengths. */
function comparable(answer: Answer): string {
  const text = readText(answer);
  const unequal = /(next_cursor":"|next_changes_since":"|[?&](?:cursor|changes_since)=)([\w-]{20,})/g;
  return text.includes("changes_since=") ? text.replaceAll(unequal, (_, of, sealed) => `${of}${sealed.length}`) : text;
}

export function expectSameAnswers(a: Answer, b: Answer): void {
  if (a.status !== b.status || comparable(a) !== comparable(b)) {
    throw new Mismatch(
      `the engines differ\n  SQLite     ${a.status} ${readText(a).slice(0, 3000)}\n  PostgreSQL ${b.status} ${readText(b).slice(0, 3000)}`,
    );
  }
  if (JSON.stringify(a.headers) !== JSON.stringify(b.headers))
    throw new Mismatch(`headers differ: ${JSON.stringify([a.headers, b.headers])}`);
}

interface Run {
  readonly vault: VaultBlueprint;
  readonly grants: GrantBlueprint[];
}

export const drawScenarioBlueprint = (mostWrites?: number): fc.Arbitrary<Run> =>
  fc.record({ vault: drawVaultBlueprint(mostWrites), grants: grantBlueprints });

/** Builds the vault and its clients, runs the work, and removes everything. */
export async function withScenario(
  run: Run,
  work: (scenario: Scenario) => Promise<void>,
  engines: "both" | "sqlite" = "both",
): Promise<void> {
  const spec = buildVault(run.vault);
  const scenario = await Scenario.of(spec, engines);
  try {
    for (const [i, grant] of run.grants.entries()) await scenario.issue(buildGrant(spec, grant, `client ${i}`));
    await work(scenario);
  } finally {
    await scenario.drop();
  }
}
