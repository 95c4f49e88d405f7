import type { ImportAnswers } from "@pdpp/console/import/import-service";
import { PdppError } from "@pdpp/contract/errors";
import type { ImportTally } from "@pdpp/contract/imports";
import type { ConnectionDetail, OwnerApi } from "@pdpp/contract/owner";
import { formats } from "@pdpp/importers/formats";
import { type Entry, type Tree, TreeError } from "@pdpp/importers/tree";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore } from "@pdpp/server/store/store";
import { describeSystemError, getErrorMessage } from "@pdpp/server/system-error";
import { ImportOptionsError } from "../import-options-error.ts";
import { limitImport } from "../limit-import.ts";
import type { Recollection } from "../memory/recall.ts";
import { findAbsent } from "../plan/absent.ts";
import { chooseConnection } from "../plan/choose-connection.ts";
import { loadMappings } from "../plan/mappings.ts";
import type { PlannedPart } from "../plan/plan-part.ts";
import { planTree } from "../plan/plan-tree.ts";
import { countBytes, openImportTree, storeParts } from "../store/store-parts.ts";
import type { FromImport, ToImport } from "./messages.ts";
import { buildPagePlan, findAnswerProblem, guessConnection, isAnswered, selectAnswers } from "./page-plan.ts";

/**
 * The process of one import: untrusted files are parsed here, with a separate heap, and never in the server process. It plans, waits
 * for answers, stores and exits.
 */

type Begin = Extract<ToImport, { kind: "begin" }>;

const sendMessage = (message: FromImport): void => void process.send?.(message);

/** Sent periodically, so it also serves as a heartbeat. */
let current: FromImport = { kind: "looking", bytes: 0 };
const reportIntervalMs = 400;

let answer: (answers: ImportAnswers) => void = () => undefined;

limitImport();
/** Exit with the server, and after the result has been sent. */
process.on("disconnect", () => process.exit());
process.on("message", (message: ToImport) => {
  if (message.kind === "answer") answer(message.answers);
  else void runImport(message);
});

async function runImport(request: Begin): Promise<void> {
  const telling = setInterval(() => sendMessage(current), reportIntervalMs);
  const end = await planAndStore(request).then(
    (importId): FromImport => ({ kind: "done", importId }),
    (error): FromImport => ({ kind: "failed", words: describeError(error).replaceAll(`${request.hidden}/`, "") }),
  );
  clearInterval(telling);
  process.send?.(end, () => process.disconnect?.());
}

async function planAndStore({ location, ownerNo, paths, importId }: Begin): Promise<string> {
  const importers = [...(await loadMappings(paths, [])), ...formats];
  const lookedAt = Date.now();
  const tree = countBytesRead(await openImportTree(paths));
  const store = await openStore(location);
  try {
    const owner = createOwner({ store, ownerNo, now: Date.now });
    const held = await owner.connections.list();
    const answered = { attachments: true };
    const {
      parts,
      unrecognized: notUnderstood,
      recollection,
    } = await planTree(owner, tree, {
      importers,
      lookedAt,
      answers: answered,
      only: [],
      choose: (importer) => guessConnection(held, importer),
    });
    const absent = await findAbsent(owner, parts, answered);
    sendMessage({ kind: "planned", plan: buildPagePlan(parts, held, absent, notUnderstood) });
    // An empty plan has nothing to confirm.
    if (parts.length === 0) return importId;
    current = { kind: "waiting" };
    const answers = await waitForValidAnswers(parts, held);
    return await storePlan(owner, parts, answers, importId, recollection);
  } finally {
    await store.close();
    await tree.close();
  }
}

/** Counts bytes read while scanning. */
function countBytesRead(tree: Tree): Tree {
  let bytes = 0;
  const count = async function* (entry: Entry, from: number | undefined): AsyncGenerator<Uint8Array> {
    for await (const chunk of entry.bytes(from)) {
      bytes += chunk.length;
      if (current.kind === "looking") current = { kind: "looking", bytes };
      yield chunk;
    }
  };
  return { ...tree, entries: tree.entries.map((entry) => ({ ...entry, bytes: (from) => count(entry, from) })) };
}

async function waitForValidAnswers(
  parts: readonly PlannedPart[],
  held: readonly ConnectionDetail[],
): Promise<ImportAnswers> {
  for (;;) {
    const answers = await new Promise<ImportAnswers>((resolve) => {
      answer = resolve;
    });
    const fault = findAnswerProblem(answers, parts, held);
    if (fault === undefined) return answers;
    sendMessage({ kind: "refused", words: fault });
  }
}

async function storePlan(
  owner: OwnerApi,
  parts: readonly PlannedPart[],
  answers: ImportAnswers,
  importId: string,
  recollection: Recollection,
): Promise<string> {
  // Connections may have been added since the plan was made.
  const held = await owner.connections.list();
  const chosen = parts.map((part) => ({ part, answers: selectAnswers(part.questions, answers) }));
  const wanted = chosen.filter((each) => isAnswered(each.part, each.answers));
  const work = wanted.map(({ part, answers: own }) => {
    const into = answers.into[part.importer.key] ?? { label: part.importer.title };
    const connection = chooseConnection(held, part.importer, "id" in into ? { into: into.id } : { label: into.label });
    return { part: { ...part, connection, recalled: answers.again ? undefined : part.recalled }, answers: own };
  });
  const total = Math.max(1, countBytes(work));
  const plannedRecords = work.reduce((sum, { part }) => sum + countRecords(part.streams) + part.aside, 0);
  const tallies = new Map<string, ImportTally>();
  let bytes = 0;
  const note = (): void => {
    const records = [...tallies.values()].reduce((sum, { read }) => sum + read, 0);
    // Some importers report progress only at the end of a file, and a plan may count a record twice.
    const done = Math.min(1, Math.max(bytes / total, records / Math.max(1, plannedRecords)));
    current = { kind: "storing", records, plannedRecords, done };
  };
  note();
  sendMessage(current);
  const counting: OwnerApi = {
    ...owner,
    imports: {
      ...owner.imports,
      async store(batch) {
        const tally = await owner.imports.store(batch);
        tallies.set(batch.part_id, tally);
        note();
        return tally;
      },
    },
  };
  const onProgress = (done: number): void => {
    bytes = done;
    note();
  };
  const report = await storeParts(counting, work, { only: [], importId, recollection, onProgress });
  return report.importId;
}

const countRecords = (streams: PlannedPart["streams"]): number =>
  streams.reduce((sum, { records }) => sum + records, 0);

function describeError(error: unknown): string {
  if (error instanceof PdppError || error instanceof ImportOptionsError || error instanceof TreeError)
    return error.message;
  const problem = describeSystemError(error);
  if (problem !== undefined) return problem.message;
  console.error("pdpp: an import failed:", error);
  return `internal error (${getErrorMessage(error)}); see the server's log`;
}
