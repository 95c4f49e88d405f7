import type { OwnerApi } from "@pdpp/contract/owner";
import { formats } from "@pdpp/importers/formats";
import type { Answers, Importer } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import type { Tree } from "@pdpp/importers/tree";
import { assertDeletable, countAbsent, deleteAbsent, findAbsent } from "@pdpp/importing/plan/absent";
import { isTimeZone } from "@pdpp/importing/plan/answers";
import { chooseConnection } from "@pdpp/importing/plan/choose-connection";
import { isTableFile, loadMappings, type ProposedMapping, proposeMappings } from "@pdpp/importing/plan/mappings";
import { getDeclaration, type PlannedPart, planPart } from "@pdpp/importing/plan/plan-part";
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
import { defaultPort } from "../../credentials/provider-url.ts";
import { findRunningServer } from "../../doctor/running-server.ts";
import { announceInterrupt } from "../../import/interrupt.ts";
import { collectAnswers } from "../../import/questions.ts";
import { formatCount, formatPlan, formatReport } from "../../import/report-text.ts";
import { showProgress } from "../../render/terminal/progress.ts";
import { escapeUnprintable } from "../../render/terminal/style.ts";
import { addCommand, type Call, collectValues, onRun } from "../../runtime/command.ts";
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
  readonly yes?: boolean;
}

export function addImport(program: Command): void {
  const importing = addCommand(program, "import [path...]", "Import an export: mail, chats, calendars and more", [
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
    .option("--yes", "skip the confirmation")
    .addHelpText(
      "after",
      "\nImporting the same export again changes nothing; a newer one adds what is new. Nothing is deleted without --absent delete.",
    );
  onRun(importing, async (call: Call<ImportOptions & { withoutAttachments?: boolean }>, paths: string[] = []) => {
    const { options, out } = call;
    if (options.formats) return showFormats(out);
    if (paths.length === 0)
      throw new UsageError("no file or folder given; list supported formats with: npx pdpp import --formats");
    const importers = selectImporters(options.as, await loadMappings(paths, options.mapping ?? []));
    const tree = await openImportTree(paths);
    try {
      if (options.infer) return showProposals(await proposeMappings(tree, importers, paths, options.out), out);
      const given = {
        time_zone: options.timeZone,
        date_order: options.dateOrder,
        me: options.me,
        attachments: options.withoutAttachments !== true,
      };
      return await withOwner(call.location, (owner) => importTree(owner, tree, importers, given, options, out));
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
            `${escapeUnprintable(path)} -> ${escapeUnprintable(written)}`,
            ...preview.map((record) => `  ${escapeUnprintable(JSON.stringify(record))}`),
          ])
          .join("\n"),
  );
  if (data.length > 0) out.remark("Edit the mapping file, then run the same command without --infer to import.");
  return data.length === 0 ? 1 : 0;
}

async function importTree(
  owner: OwnerApi,
  tree: Tree,
  importers: readonly Importer[],
  given: Answers,
  options: ImportOptions,
  out: Output,
): Promise<number> {
  const { claims, unrecognized: notUnderstood } = await detect(tree, importers);
  const held = await owner.connections.list();
  const parts: PlannedPart[] = [];
  const looking = showProgress("scanning:", undefined, "records");
  try {
    await announceInterrupt(stoppedLooking, async () => {
      let before = 0;
      for (const { importer, claim } of claims) {
        const connection = chooseConnection(held, importer, options);
        const onSeen = (records: number) => looking.update(before + records);
        const part = await planPart(owner, importer, claim, given, connection, onSeen);
        before += part.streams.reduce((sum, { records }) => sum + records, 0);
        parts.push(part);
      }
    });
  } finally {
    looking.stop();
  }
  rejectUnknownStreams(options.only ?? [], parts);
  if (options.absent === "delete") assertDeletable(parts, notUnderstood);
  const lacking = await findAbsent(owner, parts, given);
  const absent = lacking.map(({ keys, ...where }) => ({ ...where, records: keys.length }));
  const plan = parts.map(toPlanJson);
  const left = notUnderstood.map(({ path, code, reason }) => ({ path, code, reason }));
  if (options.dryRun || parts.length === 0) {
    out.result({ object: "import_plan", plan, absent, not_understood: left }, () => formatPlan(parts, left, absent));
    out.remark("Nothing has been imported.");
    if (left.some(isTableFile))
      out.remark("For unrecognized tables, create a mapping with: npx pdpp import PATH --infer");
    return parts.length === 0 ? 1 : 0;
  }
  out.remark(formatPlan(parts, left, absent));
  const work: PartToStore[] = [];
  const earlier = new Map<string, string>();
  for (const part of parts)
    work.push({ part, answers: await collectAnswers(part.questions, given, { of: part.importer.key, earlier }) });
  const { only = [] } = options;
  const going = options.absent === "delete" ? lacking.filter(({ stream }) => isWanted(stream, only)) : [];
  const consequence =
    going.length === 0 ? "" : ` and delete ${formatCount(countAbsent(going), "record")} that it no longer has`;
  await confirm(`this will import it into the vault${consequence}`, options.yes);
  const { report, importId } = await storeWithProgress(owner, work, only);
  const deleted = await deleteAbsent(owner, going);
  const about = { plan, absent, not_understood: left, report: report.map(toReportJson), deleted, import_id: importId };
  out.result({ object: "import", ...about }, () =>
    [...formatReport(report), ...(deleted === 0 ? [] : [`${formatCount(deleted, "record")} deleted`])].join("\n"),
  );
  const aside = report.reduce((sum, { tally }) => sum + countRejected(tally), 0);
  if (aside > 0) out.remark(`See what could not be read, and why: npx pdpp imports ${importId} --aside`);
  const url = await findRunningServer(defaultPort);
  out.remark(url === undefined ? "Next: start the server with npx pdpp serve" : `Next: open ${url} (already running)`);
  return 0;
}

const isWanted = (stream: string, only: readonly string[]): boolean => only.length === 0 || only.includes(stream);

function rejectUnknownStreams(only: readonly string[], parts: readonly PlannedPart[]): void {
  const known = new Set(parts.flatMap(({ importer }) => getDeclaration(importer).streams.map(({ name }) => name)));
  const unknown = only.find((stream) => !known.has(stream));
  if (unknown !== undefined && known.size > 0)
    throw new UsageError(`this export has no stream ${unknown}; choose from: ${[...known].join(", ")}`);
}

const toPlanJson = ({ importer, claim, connection, streams, aside, questions }: PlannedPart) => ({
  format: importer.key,
  connector_key: importer.key,
  label: claim.label,
  connection_id: connection.id,
  new: connection.isNew,
  streams,
  aside,
  files: claim.entries.length,
  questions: questions.map(({ key, text, choices, defaultAnswer: usual }) => ({ key, text, choices, usual })),
});

const toReportJson = ({ part, tally }: StoredPart) => ({
  connection_id: part.connection.id,
  connector_key: part.importer.key,
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
): Promise<{ report: StoredPart[]; importId: string }> {
  const bar = showProgress("importing", countBytes(work), "bytes");
  try {
    return await announceInterrupt(stoppedStoring, () =>
      storeParts(owner, work, { only, importId: createId("imp"), onProgress: (bytes) => bar.update(bytes) }),
    );
  } finally {
    bar.stop();
  }
}
