import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { serve } from "@pdpp/server/main";
import { demoVault, readRecords } from "#demo/demo-vault";
import type { HostClass } from "../mcp/hosts/host-classes.ts";
import type { World } from "../mcp/hosts/world.ts";
import { demoQuestions } from "./demo-questions.ts";
import { askAll, type JudgedQuestion, type Question, type Searchable } from "./figures.ts";
import { answerFinder } from "./words.ts";

/** The demo household on a real server, read with the demo's own token. */
export async function openDemo(): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-demo-"));
  const running = await serve({ dataDir, port: 0, host: "127.0.0.1", demo: true });
  return {
    url: running.url,
    token: running.demoToken ?? "",
    async close() {
      await running.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export interface Texts {
  /** The searchable fields. */
  readonly searchable: readonly string[];
  /** Every value of the record. */
  readonly whole: string;
}

/** The texts of every demo record, by record id. */
function readDemoTexts(): Map<string, Texts> {
  const searched = new Map(
    demoVault.manifests
      .map(parseManifest)
      .flatMap(({ connectorKey, streams }) =>
        streams.map(({ name, fields }) => [`${connectorKey} ${name}`, fields.filter(({ lexical }) => lexical)]),
      ),
  );
  const texts = new Map<string, Texts>();
  for (const { connectorKey, connectionId, streams } of demoVault.connections)
    for (const stream of streams)
      for (const { key, data } of readRecords(connectionId, stream)) {
        const recordId = Array.isArray(key) ? JSON.stringify(key) : key;
        const fields = searched.get(`${connectorKey} ${stream}`) ?? [];
        texts.set(`${connectionId}/${stream}:${recordId}`, {
          searchable: fields.map(({ name }) => data[name]).filter((value) => typeof value === "string"),
          whole: listLeaves(data).join(" | "),
        });
      }
  return texts;
}

/** Every value in it, as text. */
export function listLeaves(value: Json): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.values(value).flatMap(listLeaves);
}

export interface DemoSet {
  readonly questions: readonly (Question & { readonly record: string })[];
  readonly searchable: Searchable;
}

/**
 * The demo questions, for a vault with these records. An answer is visible if one of its spellings can be read, in
 * any record.
 */
export function loadDemoSet(texts: ReadonlyMap<string, Texts> = readDemoTexts(), list = demoQuestions): DemoSet {
  const questions = list.map(([q, answers, record]) => {
    const isIn = answerFinder(answers);
    return {
      q,
      record,
      holds: (id: string) => isIn(texts.get(id)?.whole ?? ""),
      answeredBy: (_: string, shown: string) => isIn(shown),
    };
  });
  return { questions, searchable: (id) => texts.get(id)?.searchable ?? [] };
}

/** Asks every question in hosts of these classes. `every` follows the calls of all hits. */
export async function askDemo(
  world: World,
  hosts: readonly HostClass[],
  every: boolean,
  list = demoQuestions,
): Promise<Map<HostClass, JudgedQuestion[]>> {
  const { questions, searchable } = loadDemoSet(undefined, list);
  const asked = new Map<HostClass, JudgedQuestion[]>();
  for (const host of hosts) asked.set(host, await askAll(world, host, questions, { searchable, every }));
  return asked;
}
