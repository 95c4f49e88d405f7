import { commandName } from "@pdpp/agent-setup/command-name";
import type { OwnerApi } from "@pdpp/contract/owner";
import { formats } from "@pdpp/importers/formats";
import type { Answers, Importer } from "@pdpp/importers/importer";
import type { Tree } from "@pdpp/importers/tree";
import type { Recollection } from "@pdpp/importing/memory/recall";
import { assertDeletable, countAbsent, deleteAbsent, findAbsent } from "@pdpp/importing/plan/absent";
import { isTimeZone, optionNames } from "@pdpp/importing/plan/answers";
import { chooseConnection } from "@pdpp/importing/plan/choose-connection";
import { isTableFile, loadMappings, type ProposedMapping, proposeMappings } from "@pdpp/importing/plan/mappings";
import { getDeclaration, type OpenQuestion, type PlannedPart } from "@pdpp/importing/plan/plan-part";
import { planTree } from "@pdpp/importing/plan/plan-tree";
import {
  countBytes,
  openImportTree,
  type PartToStore,
  type StoredPart,
  storeParts,
} from "@pdpp/importing/store/store-parts";
import { countRejected } from "@pdpp/importing/store/tally";
import { createId } from "@pdpp/server/auth/tokens";
import { type Command, InvalidArgumentError, Option } from "commander";
import { findVaultServer } from "../../doctor/running-server.ts";
import { announceInterrupt } from "../../import/interrupt.ts";
import { collectAnswers, formatOpenQuestion } from "../../import/questions.ts";
import { formatCount, formatPlan, formatReport } from "../../import/report-text.ts";
import { quoteForShell } from "../../render/continuation.ts";
import { showProgress } from "../../render/terminal/progress.ts";
import { escapeUnprintable, showLabel } from "../../render/terminal/style.ts";
import { addTopCommand, type Call, collectValues, onRun } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { UsageError } from "../../runtime/failure.ts";
import type { Output } from "../../runtime/output.ts";
import { withOwner } from "../../runtime/vault.ts";

interface ImportOptions {
  readonly formats?: boolean;
  readonly dryRun?: boolean;
  readonly as?: string;
  readonly infer?: boolean;
  readonly out?: string;
  readonly mapping?: string[];
  readonly into?: string;
  readonly label?: string;
  readonly only?: string[];
  readonly timeZone?: string;
  readonly dateOrder?: string;
  readonly me?: string;
  readonly attachments: boolean;
  readonly absent: "keep" | "delete";
  readonly again?: boolean;
  readonly yes?: boolean;
  readonly dataDir?: string;
}

export function addImport(program: Command): void {
  const importing = addTopCommand(program, "import [path...]", [
    "pdpp import takeout-20261101.zip",
    "pdpp import chats/ --dry-run",
    'pdpp import "WhatsApp Chat with Ada.zip" --time-zone Europe/Berlin --yes',
    "pdpp import --formats",
  ])
    .option("--formats", "list supported formats")
    .option("--dry-run", "show the plan without importing")
    .option("--as <format>", "force this format instead of detecting it")
    .option("--infer", "write mapping files for unrecognized tables instead of importing")
    .option("--out <file>", "with --infer: mapping file to write")
    .option("--mapping <file>", "use this mapping file for tables (repeatable)", collectValues)
    .option("--into <connection-id>", "import into this connection")
    .option("--label <text>", "import into the connection with this name, creating it if needed")
    .option("--only <stream>", "only this stream (repeatable)", collectValues)
    .option("--time-zone <zone>", "time zone for timestamps that have none", parseTimeZone)
    .addOption(
      new Option("--date-order <order>", "order of day and month in ambiguous dates").choices(["dmy", "mdy", "ymd"]),
    )
    .option("--me <name>", "your name in the export")
    .option("--without-attachments", "skip attachments (names only)")
    .addOption(
      new Option("--absent <what>", "what to do with earlier records that a complete export no longer has")
        .choices(["keep", "delete"])
        .default("keep"),
    )
    .option("--again", "read files again that have not changed since their last import")
    .option("--yes", "skip the confirmation")
    .addHelpText(
      "after",
      "\nImporting the same export again changes nothing; a newer one adds what is new. Nothing is deleted without --absent delete.",
    );
  onRun(importing, async (call: Call<ImportOptions & { withoutAttachments?: boolean }>, paths: string[] = []) => {
    const { options, out } = call;
    if (options.formats) return showFormats(out);
    if (paths.length === 0)
      throw new UsageError(`no file or folder given; list supported formats with: ${commandName} import --formats`);
    const importers = selectImporters(options.as, await loadMappings(paths, options.mapping ?? []));
    const lookedAt = Date.now();
    const tree = await openImportTree(paths);
    try {
      if (options.infer) return showProposals(await proposeMappings(tree, importers, paths, options.out), out);
      const given = {
        time_zone: options.timeZone,
        date_order: options.dateOrder,
        me: options.me,
        attachments: options.withoutAttachments !== true,
      };
      return await withOwner(call.location, (owner) =>
        importTree(owner, { tree, lookedAt }, importers, given, options, out, () => suggestNext(call)),
      );
    } finally {
      await tree.close();
    }
  });
}

function parseTimeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError("Expected a time zone, such as Europe/Berlin.");
}

function selectImporters(as: string | undefined, own: readonly Importer[]): readonly Importer[] {
  const all = [...own, ...formats];
  if (as === undefined) return all;
  const named = all.filter(({ key }) => key === as);
  if (named.length > 0) return named;
  throw new UsageError(`unknown format ${as}; supported: ${all.map(({ key }) => key).join(", ")}`);
}

function showFormats(out: Output): void {
  const data = formats.map(({ key: format, title, version, testedWith: tried_on }) => ({
    format,
    title,
    version,
    tried_on,
  }));
  out.list(data, "", {
    FORMAT: ({ format }) => format,
    NAME: ({ title }) => title,
    "TRIED ON": ({ tried_on }) => tried_on,
  });
}

function showProposals(data: readonly ProposedMapping[], out: Output): number {
  out.result({ object: "list", data }, () =>
    data.length === 0
      ? "No tables found that pdpp can map."
      : data
          .flatMap(({ path, written, preview }) => [
            `${showLabel(path)} -> ${showLabel(written)}`,
            ...preview.map((record) => `  ${escapeUnprintable(JSON.stringify(record))}`),
          ])
          .join("\n"),
  );
  if (data.length > 0) out.remark("Edit the mapping file, then run the same command without --infer to import.");
  return data.length === 0 ? 1 : 0;
}

async function importTree(
  owner: OwnerApi,
  { tree, lookedAt }: { readonly tree: Tree; readonly lookedAt: number },
  importers: readonly Importer[],
  given: Answers,
  options: ImportOptions,
  out: Output,
  suggestNextStep: () => Promise<string>,
): Promise<number> {
  const { only = [] } = options;
  // To know what is missing, every record of the export must be seen.
  const readsAll = options.again === true || options.absent === "delete";
  const held = await owner.connections.list();
  const looking = showProgress("scanning:", undefined, "records");
  const request = {
    importers,
    lookedAt,
    answers: given,
    only,
    again: readsAll,
    choose: (importer: Importer) => chooseConnection(held, importer, options),
    onSeen: (records: number) => looking.update(records),
  };
  const planned = await announceInterrupt(stoppedLooking, () => planTree(owner, tree, request)).finally(() =>
    looking.stop(),
  );
  const { parts, unrecognized: notUnderstood, recollection } = planned;
  rejectUnknownStreams(only, parts);
  if (options.absent === "delete") assertDeletable(parts, notUnderstood);
  const lacking = await findAbsent(owner, parts, given);
  const absent = lacking.map(({ connection_id, stream, count }) => ({ connection_id, stream, records: count }));
  const plan = parts.map(toPlanJson);
  const left = notUnderstood.map(({ path, code, reason }) => ({ path, code, reason }));
  if (options.dryRun || parts.length === 0) {
    out.result({ object: "import_plan", plan, absent, not_understood: left }, () => formatPlan(parts, left, absent));
    out.remark("Nothing has been imported.");
    if (left.some(isTableFile))
      out.remark(`For unrecognized tables, create a mapping with: ${commandName} import PATH --infer`);
    return parts.length === 0 ? 1 : 0;
  }
  out.remark(formatPlan(parts, left, absent));
  const work: PartToStore[] = [];
  const leftOut: LeftOutPart[] = [];
  const earlier = new Map<string, string>();
  for (const part of parts) {
    const { answers, open } = await collectAnswers(part.questions, given, { of: part.importer.key, earlier });
    if (open.length === 0) work.push({ part, answers });
    else leftOut.push({ part, open });
  }
  // A record of an export that is left out would look deleted.
  if (leftOut.length > 0 && (work.length === 0 || options.absent === "delete"))
    throw new UsageError(formatLeftOut(leftOut).join("\n"));
  const going = options.absent === "delete" ? lacking.filter(({ stream }) => isWanted(stream, only)) : [];
  const consequence =
    going.length === 0 ? "" : ` and delete ${formatCount(countAbsent(going), "record")} that it no longer has`;
  const isUnchanged = work.every(({ part }) => part.recalled?.rest.length === 0);
  await confirm(`this will import it into the vault${consequence}`, options.yes || isUnchanged);
  const { report, importId } = await storeWithProgress(owner, work, only, recollection);
  const deleted = await deleteAbsent(owner, going);
  const about = {
    plan,
    absent,
    not_understood: left,
    report: report.map(toReportJson),
    left_out: leftOut.map(toLeftOutJson),
    deleted,
    import_id: importId,
  };
  out.result({ object: "import", ...about }, () =>
    [...formatReport(report), ...(deleted === 0 ? [] : [`${formatCount(deleted, "record")} deleted`])].join("\n"),
  );
  const aside = report.reduce((sum, { tally }) => sum + countRejected(tally), 0);
  if (aside > 0) out.remark(`See what could not be read, and why: ${commandName} imports ${importId} --aside`);
  out.remark(await suggestNextStep());
  if (leftOut.length === 0) return 0;
  out.remark(["Not imported, because an answer is missing:", ...formatLeftOut(leftOut)].join("\n"));
  return leftOutExitCode;
}

async function suggestNext({ options: { dataDir }, location }: Call<ImportOptions>): Promise<string> {
  const url = await findVaultServer(location.dataDir);
  const folder = dataDir === undefined ? "" : ` --data-dir ${quoteForShell(dataDir)}`;
  return url === undefined
    ? `Next: start the server with ${commandName} serve${folder}`
    : `Next: ${commandName} open${folder} (the server runs at ${url})`;
}

/** Something was imported, and something needs an answer first. */
const leftOutExitCode = 65;

interface LeftOutPart {
  readonly part: PlannedPart;
  readonly open: readonly OpenQuestion[];
}

/** Each question once per format: all chats of a phone share the answer. */
function formatLeftOut(leftOut: readonly LeftOutPart[]): string[] {
  const asked = leftOut.flatMap(({ part, open }) =>
    open.map((question) => ({ question, label: part.claim.label, format: part.importer.key })),
  );
  const grouped = Map.groupBy(asked, ({ format, question }) => `${format} ${question.key}`);
  return [...grouped.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : `  ${showLabel(first.label)}${others.length === 0 ? "" : ` and ${others.length} more`}: ${formatOpenQuestion(first.question)}`,
  );
}

const toLeftOutJson = ({ part, open }: LeftOutPart) => ({
  format: part.importer.key,
  label: part.claim.label,
  questions: open.map(({ key, text, choices }) => ({ key, text, choices, option: optionNames[key] })),
});

const isWanted = (stream: string, only: readonly string[]): boolean => only.length === 0 || only.includes(stream);

function rejectUnknownStreams(only: readonly string[], parts: readonly PlannedPart[]): void {
  const known = new Set(parts.flatMap(({ importer }) => getDeclaration(importer).streams.map(({ name }) => name)));
  const unknown = only.find((stream) => !known.has(stream));
  if (unknown !== undefined && known.size > 0)
    throw new UsageError(`this export has no stream ${unknown}; choose from: ${[...known].join(", ")}`);
}

const toPlanJson = ({ importer, claim, connection, streams, aside, questions, recalled }: PlannedPart) => ({
  format: importer.key,
  connector_key: getDeclaration(importer).connectorKey,
  label: claim.label,
  connection_id: connection.id,
  new: connection.isNew,
  streams,
  aside,
  files: claim.entries.length,
  unchanged_files: recalled?.unchangedFiles ?? 0,
  last_imported_at: recalled?.remembered.imported_at ?? null,
  questions: questions.map(({ key, text, choices, defaultAnswer: usual }) => ({ key, text, choices, usual })),
});

const toReportJson = ({ part, tally }: StoredPart) => ({
  connection_id: part.connection.id,
  connector_key: getDeclaration(part.importer).connectorKey,
  label: part.claim.label,
  read: tally.read,
  streams: Object.entries(tally.streams).map(([stream, counts]) => ({ stream, ...counts })),
  blobs: tally.blobs,
});

const stoppedLooking = "Stopped. Nothing has been imported.";
const stoppedStoring = "Stopped. Records imported so far are kept; run the same command to continue.";

async function storeWithProgress(
  owner: OwnerApi,
  work: readonly PartToStore[],
  only: readonly string[],
  recollection: Recollection,
): Promise<{ report: StoredPart[]; importId: string }> {
  const bar = showProgress("importing", countBytes(work), "bytes");
  try {
    return await announceInterrupt(stoppedStoring, () =>
      storeParts(owner, work, {
        only,
        importId: createId("imp"),
        recollection,
        onProgress: (bytes) => bar.update(bytes),
      }),
    );
  } finally {
    bar.stop();
  }
}
