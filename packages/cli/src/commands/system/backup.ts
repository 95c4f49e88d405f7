import { statSync } from "node:fs";
import { resolve } from "node:path";
import { commandName } from "@pdpp/agent-setup/command-name";
import { createBackup, loadRevocations, restore, verifyBackup } from "@pdpp/server/backup/backup";
import { encodeRevocations, readRevocations } from "@pdpp/server/store/access/revocations";
import type { Command } from "commander";
import { chooseBackupFile, rotateBackups } from "../../backup/backup-folder.ts";
import { readSecretFile } from "../../input/secret-input.ts";
import { showProgress } from "../../render/terminal/progress.ts";
import { formatProperties } from "../../render/terminal/table.ts";
import { formatCount } from "../../render/view.ts";
import { addCommand, addTopCommand, type Call, onRun, parseIntegerBetween } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { describeVault } from "../../runtime/vault.ts";

interface PassphraseOptions {
  readonly passphraseFile?: string;
}
interface BackupOptions extends PassphraseOptions {
  readonly keep?: number;
}
interface RestoreOptions extends PassphraseOptions {
  readonly revocations?: string;
}

const passphraseHelp = "file with the passphrase (or set PDPP_BACKUP_PASSPHRASE)";

export function addBackup(program: Command): void {
  const backing = addTopCommand(program, "backup", [
    "pdpp backup monday.pdpp",
    "pdpp backup monday.pdpp --passphrase-file secret.txt",
    "pdpp backup /mnt/backups --keep 7",
    "pdpp backup verify monday.pdpp",
  ])
    .argument("<path>", "file to create, or a folder to create a dated file in")
    .option("--passphrase-file <file>", `encrypt it: ${passphraseHelp}`)
    .option(
      "--keep <number>",
      "verify the new backup, then delete all but the newest ones of this vault in the folder",
      parseIntegerBetween(1, 10_000),
    );
  onRun(backing, async ({ options, out, location }: Call<BackupOptions>, named: string) => {
    const file = chooseBackupFile(resolve(named), options.keep, location);
    const progress = showProgress("backing up", undefined, "records");
    const passphrase = readPassphrase(options);
    const made = await createBackup(location, file, { passphrase, onProgress: progress.update }).finally(progress.stop);
    const verify = async (): Promise<void> => {
      const verifying = showProgress("verifying", getFileSize(file), "bytes");
      await verifyBackup(file, { passphrase, onProgress: verifying.update }).finally(verifying.stop);
    };
    const deleted = options.keep === undefined ? undefined : await rotateBackups(file, options.keep, location, verify);
    const document = {
      object: "backup",
      file,
      encrypted: passphrase !== undefined,
      file_bytes: made.fileBytes,
      ...toCountsJson(made),
      ...(deleted === undefined ? {} : { verified: true, deleted }),
    };
    out.result(document, (style) =>
      formatProperties(style, [
        ["backup", `${file} (${formatMegabytes(made.fileBytes)}${passphrase === undefined ? "" : ", encrypted"})`],
        ["contains", formatContents(made)],
        ["deleted", deleted?.length ? formatCount(deleted.length, "older backup") : undefined],
      ]),
    );
    warnMissing(out.remark, made.blobsMissing);
    if (passphrase === undefined)
      out.remark("The backup is not encrypted: anyone with the file can read every record.");
  });
  addVerify(backing);
}

function addVerify(backing: Command): void {
  const verify = addCommand(backing, "verify", "Verify a backup", ["pdpp backup verify monday.pdpp"])
    .argument("<file>", "backup file")
    .option("--passphrase-file <file>", passphraseHelp);
  onRun(verify, async ({ options, out }: Call<PassphraseOptions>, named: string) => {
    const file = resolve(named);
    const progress = showProgress("verifying", getFileSize(file), "bytes");
    const passphrase = readPassphrase(options);
    const held = await verifyBackup(file, { passphrase, onProgress: progress.update }).finally(progress.stop);
    const { made_at, made_by, engine, schema_version } = held.header;
    const document = {
      object: "backup",
      file,
      ok: true,
      made_at,
      made_by,
      engine,
      schema_version,
      ...toCountsJson(held),
    };
    out.result(document, (style) =>
      formatProperties(style, [
        ["backup", `${file} is intact`],
        ["made", `${made_at} by ${made_by}, ${engine}, schema ${schema_version}`],
        ["contains", formatContents(held)],
      ]),
    );
    warnMissing(out.remark, held.blobsMissing);
  });
}

export function addRestore(program: Command): void {
  const restoring = addTopCommand(program, "restore", [
    "pdpp restore monday.pdpp --data-dir ~/restored",
    "pdpp restore monday.pdpp --database-url postgres://db.example.org/vault",
    "pdpp restore monday.pdpp --data-dir ~/restored --revocations revoked.ndjson",
  ])
    .argument("<file>", "backup file")
    .option("--passphrase-file <file>", passphraseHelp)
    .option(
      "--revocations <file>",
      "file with later revocations (from pdpp revocations); those in the data directory are always applied",
    );
  onRun(restoring, async ({ options, out, location }: Call<RestoreOptions>, named: string) => {
    const file = resolve(named);
    const revoked = options.revocations === undefined ? [] : await loadRevocationsFile(options.revocations);
    const progress = showProgress("restoring", getFileSize(file), "bytes");
    const passphrase = readPassphrase(options);
    const done = await restore(location, file, revoked, { passphrase, onProgress: progress.update }).finally(
      progress.stop,
    );
    const document = {
      object: "restore",
      file,
      vault: describeVault(location),
      ...toCountsJson(done),
      revoked_again: done.revokedAgain,
    };
    out.result(document, (style) =>
      formatProperties(style, [
        ["vault", describeVault(location)],
        ["contains", formatContents(done)],
        ["revoked", done.revokedAgain === 0 ? undefined : `${formatCount(done.revokedAgain, "revocation")} reapplied`],
      ]),
    );
    warnMissing(out.remark, done.blobsMissing);
  });
}

export function addRevocations(program: Command): void {
  const listing = addTopCommand(program, "revocations", ["pdpp revocations > revoked.ndjson"]);
  onRun(listing, async ({ out, location }: Call<object>) => {
    const revoked = await loadRevocations(location);
    out.result({ object: "list", data: revoked }, () => encodeRevocations(revoked).trimEnd());
  });
}

const readPassphrase = ({ passphraseFile }: PassphraseOptions): string | undefined =>
  passphraseFile === undefined
    ? process.env.PDPP_BACKUP_PASSPHRASE?.replace(/\r?\n$/, "") || undefined
    : readSecretFile(passphraseFile, "passphrase");

async function loadRevocationsFile(file: string) {
  if (getFileSize(file) === undefined)
    throw new UsageError(`${file} not found; create it with: ${commandName} revocations > ${file}`);
  return readRevocations(file);
}

const getFileSize = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;
const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

interface Counts {
  readonly tables: number;
  readonly rows: number;
  readonly blobs: number;
  readonly bytes: number;
  readonly blobsMissing: number;
}

const toCountsJson = ({ tables, rows, blobs, bytes, blobsMissing }: Counts) => ({
  tables,
  rows,
  blobs,
  blob_bytes: bytes,
  blobs_missing: blobsMissing,
});

const formatContents = ({ tables, rows, blobs, bytes }: Counts): string =>
  `${formatCount(rows, "row")} in ${formatCount(tables, "table")}, ${formatCount(blobs, "file")} (${formatMegabytes(bytes)})`;

function warnMissing(remark: (text: string) => void, missing: number): void {
  if (missing > 0) remark(`${formatCount(missing, "file")} were missing from the vault when the backup was made.`);
}
