import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { createBackup, loadRevocations, restore, verifyBackup } from "@pdpp/server/backup/backup";
import { encodeRevocations, readRevocations } from "@pdpp/server/store/access/revocations";
import { getErrorMessage } from "@pdpp/server/system-error";
import type { Command } from "commander";
import { showProgress } from "../../render/terminal/progress.ts";
import { properties } from "../../render/terminal/table.ts";
import { counted } from "../../render/view.ts";
import { type Call, command, does } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { nameOf } from "../../runtime/vault.ts";

interface PassphraseOptions {
  readonly passphraseFile?: string;
}
interface RestoreOptions extends PassphraseOptions {
  readonly revocations?: string;
}

const passphraseHelp = "a file with the passphrase (or PDPP_BACKUP_PASSPHRASE)";

export function addBackup(program: Command): void {
  const backing = command(program, "backup", "Copy the whole vault into one file, also while it is served", [
    "pdpp backup monday.pdpp",
    "pdpp backup monday.pdpp --passphrase-file secret.txt",
    "pdpp backup verify monday.pdpp",
  ])
    .argument("<file>", "the new file")
    .option("--passphrase-file <file>", `encrypts it: ${passphraseHelp}`);
  does(backing, async ({ options, out, location }: Call<PassphraseOptions>, named: string) => {
    const file = resolve(named);
    const progress = showProgress("backing up", undefined, "records");
    const passphrase = passphraseFrom(options);
    const made = await createBackup(location, file, { passphrase, onProgress: progress.update }).finally(progress.stop);
    const document = {
      object: "backup",
      file,
      encrypted: passphrase !== undefined,
      file_bytes: made.fileBytes,
      ...countsOf(made),
    };
    out.result(document, (style) =>
      properties(style, [
        ["backup", `${file} (${megabytes(made.fileBytes)}${passphrase === undefined ? "" : ", encrypted"})`],
        ["holds", contentsText(made)],
      ]),
    );
    tellMissing(out.remark, made.blobsMissing);
    if (passphrase === undefined) out.remark("it holds every record, readable by whoever has the file");
  });
  addVerify(backing);
}

function addVerify(backing: Command): void {
  const verify = command(backing, "verify", "Read a backup to its end and say whether it is whole", [
    "pdpp backup verify monday.pdpp",
  ])
    .argument("<file>", "the backup")
    .option("--passphrase-file <file>", passphraseHelp);
  does(verify, async ({ options, out }: Call<PassphraseOptions>, named: string) => {
    const file = resolve(named);
    const progress = showProgress("verifying", sizeOf(file), "bytes");
    const passphrase = passphraseFrom(options);
    const held = await verifyBackup(file, { passphrase, onProgress: progress.update }).finally(progress.stop);
    const { made_at, made_by, engine, schema_version } = held.header;
    const document = { object: "backup", file, ok: true, made_at, made_by, engine, schema_version, ...countsOf(held) };
    out.result(document, (style) =>
      properties(style, [
        ["backup", `${file} is whole`],
        ["made", `${made_at} by ${made_by}, ${engine}, schema ${schema_version}`],
        ["holds", contentsText(held)],
      ]),
    );
    tellMissing(out.remark, held.blobsMissing);
  });
}

export function addRestore(program: Command): void {
  const restoring = command(program, "restore", "Make a vault of a backup, in a place where there is none", [
    "pdpp restore monday.pdpp --data-dir ~/restored",
    "pdpp restore monday.pdpp --database-url postgres://db.example.org/vault",
    "pdpp restore monday.pdpp --data-dir ~/restored --revocations revoked.ndjson",
  ])
    .argument("<file>", "the backup")
    .option("--passphrase-file <file>", passphraseHelp)
    .option(
      "--revocations <file>",
      "what was revoked since (pdpp revocations); the data folder's own are applied anyway",
    );
  does(restoring, async ({ options, out, location }: Call<RestoreOptions>, named: string) => {
    const file = resolve(named);
    const revoked = options.revocations === undefined ? [] : await revocationsFrom(options.revocations);
    const progress = showProgress("restoring", sizeOf(file), "bytes");
    const passphrase = passphraseFrom(options);
    const done = await restore(location, file, revoked, { passphrase, onProgress: progress.update }).finally(
      progress.stop,
    );
    const document = {
      object: "restore",
      file,
      vault: nameOf(location),
      ...countsOf(done),
      revoked_again: done.revokedAgain,
    };
    out.result(document, (style) =>
      properties(style, [
        ["vault", nameOf(location)],
        ["holds", contentsText(done)],
        ["revoked", done.revokedAgain === 0 ? undefined : `${counted(done.revokedAgain, "revocation")} applied again`],
      ]),
    );
    tellMissing(out.remark, done.blobsMissing);
  });
}

export function addRevocations(program: Command): void {
  const listing = command(program, "revocations", "What is revoked, for pdpp restore --revocations", [
    "pdpp revocations > revoked.ndjson",
  ]);
  does(listing, async ({ out, location }: Call<object>) => {
    const revoked = await loadRevocations(location);
    out.result({ object: "list", data: revoked }, () => encodeRevocations(revoked).trimEnd());
  });
}

function passphraseFrom({ passphraseFile }: PassphraseOptions): string | undefined {
  const text = passphraseFile === undefined ? process.env.PDPP_BACKUP_PASSPHRASE : contentOf(passphraseFile);
  const passphrase = text?.replace(/\r?\n$/, "");
  if (passphraseFile !== undefined && !passphrase) throw new UsageError(`${passphraseFile} holds no passphrase`);
  return passphrase || undefined;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read the passphrase: ${getErrorMessage(error)}`);
  }
}

async function revocationsFrom(file: string) {
  if (sizeOf(file) === undefined) throw new UsageError(`there is no file ${file}; pdpp revocations writes one`);
  return readRevocations(file);
}

const sizeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

interface Counts {
  readonly tables: number;
  readonly rows: number;
  readonly blobs: number;
  readonly bytes: number;
  readonly blobsMissing: number;
}

const countsOf = ({ tables, rows, blobs, bytes, blobsMissing }: Counts) => ({
  tables,
  rows,
  blobs,
  blob_bytes: bytes,
  blobs_missing: blobsMissing,
});

const contentsText = ({ tables, rows, blobs, bytes }: Counts): string =>
  `${counted(rows, "row")} in ${counted(tables, "table")}, ${counted(blobs, "file")} (${megabytes(bytes)})`;

function tellMissing(remark: (text: string) => void, missing: number): void {
  if (missing > 0) remark(`${counted(missing, "file")} had no bytes in the vault when the backup was made`);
}
