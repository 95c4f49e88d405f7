import { commandName } from "@pdpp/agent-setup/command-name";
import type { ImportDocument, ImportTally } from "@pdpp/contract/imports";
import { parseHandle } from "@pdpp/evidence/handles/handle";
import { retryImport } from "@pdpp/importing/store/retry-import";
import { countRejected } from "@pdpp/importing/store/tally";
import type { Command } from "commander";
import { formatCount, formatFirst, formatRetry, formatTally } from "../../import/report-text.ts";
import { escapeUnprintable, showLabel } from "../../render/terminal/style.ts";
import { addTopCommand, type Call, onRun } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { withOwner } from "../../runtime/vault.ts";

interface ImportsOptions {
  readonly aside?: boolean;
  readonly retry?: boolean;
  readonly record?: string;
}

export function addImports(program: Command): void {
  const imports = addTopCommand(program, "imports [id]", [
    "pdpp imports",
    "pdpp imports imp_4f2a --aside",
    "pdpp imports imp_4f2a --retry",
    "pdpp imports --record whatsapp/messages:h1_5e0c",
  ])
    .option("--aside", "list items that could not be read, and why")
    .option("--retry", "retry items that could not be read, after updating pdpp")
    .option("--record <handle>", "show which imports first and last contained this record");
  onRun(imports, async ({ options, out, location }: Call<ImportsOptions>, id?: string) =>
    withOwner(location, async (owner) => {
      if (options.record !== undefined) {
        const handle = parseHandle(options.record);
        if (handle === null) throw new UsageError("--record needs a full record id, such as whatsapp/messages:h1_5e0c");
        const origin = await owner.imports.findOrigin(handle.connectionId, handle.stream, handle.recordId);
        return out.result(
          origin,
          () => `first ${origin.first_import ?? "not imported"}\nlast ${origin.last_import ?? "not imported"}`,
        );
      }
      if (id === undefined) {
        const wanted = options.retry ? "--retry" : options.aside ? "--aside" : undefined;
        if (wanted !== undefined)
          throw new UsageError(
            `${wanted} needs an import: ${commandName} imports ID ${wanted} (list them with ${commandName} imports)`,
          );
        const data = await owner.imports.list();
        out.list(data, `Nothing imported yet. Start with: ${commandName} import PATH`, {
          IMPORT: ({ import_id }) => import_id,
          STARTED: ({ started_at }) => formatMinute(started_at),
          STATE: ({ finished_at }) => (finished_at === null ? "not finished" : "done"),
          READ: ({ parts }) => String(countRead(parts)),
          WHAT: ({ parts }) =>
            formatFirst(
              parts.map(({ label }) => label),
              maxLabels,
            ),
        });
        if (data.some(({ finished_at }) => finished_at === null))
          out.remark(`To continue an unfinished import, run the same ${commandName} import command again.`);
        return;
      }
      const found = await owner.imports.get(id);
      if (options.retry) {
        const report = await retryImport(owner, found);
        return out.result({ object: "retry", import_id: id, ...report }, () => formatRetry(id, report));
      }
      if (!options.aside) return out.result(found, () => formatImport(found));
      const data = await owner.imports.listRejected(id);
      const total = found.parts.reduce((sum, { tally }) => sum + countRejected(tally), 0);
      out.result({ object: "list", data, total }, () =>
        [
          `${formatCount(total, "item")} could not be read${total === 0 ? "" : `. After updating pdpp, retry with: ${commandName} imports ${id} --retry`}`,
          ...data.flatMap(({ kind, stream, path, offset, code, reason, beginning }) => [
            `${kind === "record" ? `record in ${escapeUnprintable(stream)}` : `${showLabel(path)} at byte ${offset}`}: ${code}: ${escapeUnprintable(reason)}`,
            ...(beginning === "" ? [] : [`  ${escapeUnprintable(beginning.split("\n")[0] ?? "").slice(0, 100)}`]),
          ]),
        ].join("\n"),
      );
    }),
  );
}

const countRead = (parts: readonly { readonly tally: ImportTally }[]): number =>
  parts.reduce((sum, { tally }) => sum + tally.read, 0);

/** More would not fit on a screen; pdpp imports ID lists all. */
const maxLabels = 2;
/** Enough to compare two imports; --json has the whole digest. */
const maxDigits = 12;

const formatMinute = (time: string): string => time.replace(/:\d\d(\.\d+)?Z$/, "Z");

function formatImport({ import_id, started_at, finished_at, parts }: ImportDocument): string {
  return [
    `${import_id}, ${formatMinute(started_at)}${finished_at === null ? "; not finished, import the same files again to continue" : ""}`,
    ...parts.flatMap((part) => [
      `${showLabel(part.label)} -> ${part.connection_id} (${part.format}, importer ${part.importer_version}, exported ${formatMinute(part.exported_at)})`,
      ...part.sources.map(({ path, size_bytes }) => `  ${showLabel(path)}, ${formatCount(size_bytes, "byte")}`),
      `  fingerprint ${part.fingerprint.slice(0, maxDigits)}`,
      ...formatTally(part.tally),
    ]),
  ].join("\n");
}
