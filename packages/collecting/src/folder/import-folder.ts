import type { ImportTally, StreamTally } from "@pdpp/contract/imports";
import type { ConnectionDetail, OwnerApi } from "@pdpp/contract/owner";
import type { ImportedConnection, SkippedPart } from "@pdpp/contract/sources";
import { formats } from "@pdpp/importers/formats";
import type { Answers, Importer } from "@pdpp/importers/importer";
import { ImportOptionsError } from "@pdpp/importing/import-options-error";
import { hasNews } from "@pdpp/importing/memory/remember";
import { optionNames } from "@pdpp/importing/plan/answers";
import { chooseConnection } from "@pdpp/importing/plan/choose-connection";
import { loadMappings } from "@pdpp/importing/plan/mappings";
import { type ChosenConnection, getDeclaration, type PlannedPart } from "@pdpp/importing/plan/plan-part";
import { planTree, type TreePlan } from "@pdpp/importing/plan/plan-tree";
import {
  countBytes,
  openImportTree,
  type PartToStore,
  type StoredPart,
  storeParts,
} from "@pdpp/importing/store/store-parts";
import { sumTallies } from "@pdpp/importing/store/tally";
import { createId } from "@pdpp/server/auth/tokens";
import type { FolderSettings } from "../source-settings.ts";
import { deleteGone } from "./delete-gone.ts";
import { listSettledFiles, requireFolder } from "./settled-files.ts";
import { describeSkipped, formatImportCommand } from "./skipped.ts";

export interface FolderImport {
  readonly settings: FolderSettings;
  /** Reads unchanged files again. */
  readonly again: boolean;
  /** The connection that earlier runs filled with each format. */
  readonly filled: Readonly<Record<string, string>>;
}

export interface FolderReport {
  readonly imported: readonly ImportedConnection[];
  readonly skipped?: readonly SkippedPart[];
}

/** More files are counted, but not named. */
const maxNamed = 20;

const given: Answers = { attachments: true };

/** Imports what is new in a folder, without asking. Files that need an answer are skipped and reported. */
export async function importFolder(
  owner: OwnerApi,
  { settings, again, filled }: FolderImport,
  onProgress: (message: string, count?: number, total?: number) => void,
): Promise<FolderReport> {
  const { path } = settings;
  const skipped: SkippedPart[] = [];
  await requireFolder(path, settings.is_mount_point);
  onProgress(`Looking at ${path}`);
  const { accepted, unsettled } = await listSettledFiles(path);
  const lookedAt = Date.now();
  const tree = await openImportTree([path], (file) => !accepted.has(file));
  try {
    const importers = [...(await loadMappings([path], [])), ...formats];
    const held = await owner.connections.list();
    // An account's connection must not get somebody else's mails because it is the only one for mail.
    const collected = new Set((await owner.sources.list()).map(({ connection_id }) => connection_id));
    const isReserved = (id: string): boolean => collected.has(id);
    const choose = (importer: Importer): ChosenConnection | undefined => {
      try {
        return chooseConnection(held, importer, { ...selectConnection(importer, settings, filled, held), isReserved });
      } catch (error) {
        if (!(error instanceof ImportOptionsError)) throw error;
        const message = `${error.message.replace(/;.*/, "")}; remove this source and add it again with --into ID`;
        skipped.push({ reason: "needs_answer", message });
        return undefined;
      }
    };
    const plan = await planTree(owner, tree, { importers, lookedAt, answers: given, only: [], again, choose });
    const { ready, open } = answerQuestions(plan.parts);
    skipped.push(
      ...open.map((part) => describeQuestions(part, path)),
      ...describeFiles("being_written", unsettled, () => "still being written; the next run imports it"),
      ...describeUnrecognized(plan.unrecognized),
    );
    const { deleted, kept } = await deleteGone(owner, settings, { ready, open, unsettled, plan });
    skipped.push(...kept);
    const changed = ready.filter(({ part }) => deleted.has(part.connection.id) || hasNews(part, plan.recollection));
    const bytes = countBytes(changed);
    const { report, importId } = await storeParts(owner, changed, {
      only: [],
      importId: createId("imp"),
      recollection: plan.recollection,
      onProgress: (done) => onProgress(`Importing ${path}`, done, bytes),
    });
    const unchanged = ready.filter((each) => !changed.includes(each)).map(({ part }) => ({ part, tally: noTally }));
    const imported = describeConnections([...report, ...unchanged], importId, deleted);
    return { imported, ...(skipped.length > 0 && { skipped }) };
  } finally {
    await tree.close();
  }
}

/** The chosen connection, else the one with the chosen name, else the one that earlier runs filled, else the only one. */
function selectConnection(
  importer: Importer,
  { into, label }: FolderSettings,
  filled: FolderImport["filled"],
  held: readonly ConnectionDetail[],
): { readonly into?: string; readonly label?: string } {
  const key = getDeclaration(importer).connectorKey;
  const find = (id: string | undefined): ConnectionDetail | undefined =>
    held.find(({ connection_id, connector_key }) => connection_id === id && connector_key === key);
  const chosen = find(into);
  if (chosen !== undefined) return { into: chosen.connection_id };
  if (label !== undefined) return { label };
  const before = find(filled[key]);
  return before === undefined ? {} : { into: before.connection_id };
}

/** Uses the answers of the last import, or the usual ones. */
function answerQuestions(parts: readonly PlannedPart[]): { ready: PartToStore[]; open: PlannedPart[] } {
  const [ready, open]: [PartToStore[], PlannedPart[]] = [[], []];
  for (const part of parts) {
    const answers = Object.fromEntries(part.questions.map(({ key, defaultAnswer }) => [key, defaultAnswer]));
    if (part.questions.some(({ defaultAnswer }) => defaultAnswer === undefined)) open.push(part);
    else ready.push({ part, answers: { ...answers, ...given } });
  }
  return { ready, open };
}

function describeQuestions(part: PlannedPart, path: string): SkippedPart {
  const open = part.questions.filter(({ defaultAnswer }) => defaultAnswer === undefined);
  const asked = open.map(({ text, choices }) => `${text}${choices === undefined ? "" : ` (${choices.join(", ")})`}`);
  const command = formatImportCommand(path, part, ...open.map(({ key }) => `${optionNames[key]} ANSWER`));
  return describeSkipped("needs_answer", `${part.claim.label}: ${asked.join(" ")} Answer once with: ${command}`);
}

const describeUnrecognized = (files: TreePlan["unrecognized"]): SkippedPart[] => {
  const reasons = new Map(files.map(({ path, reason }) => [path, reason]));
  return describeFiles("unrecognized", [...reasons.keys()], (path) => reasons.get(path) ?? "");
};

function describeFiles(reason: string, files: readonly string[], explain: (file: string) => string): SkippedPart[] {
  const named = files.slice(0, maxNamed).map((file) => describeSkipped(reason, `${file}: ${explain(file)}`));
  const more = files.length - named.length;
  return more === 0 ? named : [...named, { reason, message: `and ${more} more files` }];
}

function describeConnections(
  parts: readonly StoredPart[],
  importId: string,
  deleted: ReadonlyMap<string, Readonly<Record<string, number>>>,
): ImportedConnection[] {
  return [...Map.groupBy(parts, ({ part }) => part.connection.id)].map(([connection_id, same]) => {
    const [first] = same;
    const stored = same.filter(({ tally }) => tally !== noTally);
    const tally = sumTallies(stored.map((each) => each.tally));
    return {
      connection_id,
      connector_key: first === undefined ? "" : getDeclaration(first.part.importer).connectorKey,
      ...(stored.length > 0 && { import_id: importId }),
      files: same.reduce((sum, { part }) => sum + part.claim.entries.length, 0),
      unchanged_files: same.reduce((sum, { part }) => sum + (part.recalled?.unchangedFiles ?? 0), 0),
      tally: { ...tally, streams: addDeleted(tally.streams, deleted.get(connection_id) ?? {}) },
    };
  });
}

const noTally: ImportTally = { read: 0, blobs: 0, streams: {} };
const noCounts: StreamTally = { stored: 0, changed: 0, unchanged: 0, aside: 0, skipped: 0 };

function addDeleted(
  streams: ImportTally["streams"],
  deleted: Readonly<Record<string, number>>,
): ImportTally["streams"] {
  const counted = { ...streams };
  for (const [stream, count] of Object.entries(deleted))
    counted[stream] = { ...(counted[stream] ?? noCounts), deleted: count };
  return counted;
}
