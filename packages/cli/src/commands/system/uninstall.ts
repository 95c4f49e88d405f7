import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isSea } from "node:sea";
import { isInstalled } from "@pdpp/agent-setup/command-name";
import { PdppError } from "@pdpp/contract/errors";
import type { Command } from "commander";
import { findVaultServer } from "../../doctor/running-server.ts";
import { addTopCommand, type Call, onRun, type VaultLocation } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { UsageError } from "../../runtime/failure.ts";
import { describeVault, hasVault } from "../../runtime/vault.ts";
import { findParts, findVault, type Part, removeEmptyFolder } from "../../uninstall/find-parts.ts";
import { getDemoFolder } from "./open.ts";

interface UninstallFlags {
  readonly print?: boolean;
  readonly yes?: boolean;
  readonly deleteVault?: boolean;
}

export function addUninstall(program: Command): void {
  const uninstall = addTopCommand(program, "uninstall", [
    "pdpp uninstall --print",
    "pdpp uninstall",
    "pdpp uninstall --delete-vault",
  ])
    .option("--print", "list what would be removed and stop")
    .option("--delete-vault", "delete the vault too, with all records and files")
    .option("--yes", "do not ask");
  onRun(uninstall, async ({ options, out, location }: Call<UninstallFlags>) => {
    if (options.deleteVault && location.databaseUrl !== undefined)
      throw new UsageError("pdpp does not delete databases; drop --delete-vault, and drop the database yourself");
    const parts = [...findParts(location), ...(options.deleteVault ? findVault(location) : [])];
    const list = parts.map(({ kind, title, paths }) => ({ kind, title, paths }));
    const isKept = !options.deleteVault && hasVault(location);
    if (isKept) out.remark(`The vault in ${describeVault(location)} stays. --delete-vault deletes it too.`);
    if (options.print || parts.length === 0) {
      out.list(list, "pdpp has put nothing on this machine.", columns);
      return;
    }
    if (!out.json) out.list(list, "", columns);
    await requireStopped(location, parts);
    await confirm(describeConsequence(parts, location), options.yes);
    const copies: string[] = [];
    for (const part of parts) {
      const copy = await part.remove();
      if (copy !== undefined) copies.push(copy);
    }
    removeEmptyFolder(location.dataDir);
    const left = options.deleteVault ? listLeftovers(location.dataDir) : [];
    const next = describeNextStep();
    const document = { object: "uninstall", removed: list, copies, left, next };
    out.result(document, () => ["removed", ...copies.map((path) => `previous content: ${path}`)].join("\n"));
    if (left.length > 0) out.remark(`Not created by pdpp, and still there: ${left.join(", ")}`);
    out.remark("Projects that were set up with --project keep their configuration.");
    out.remark(next);
  });
}

type Listed = Pick<Part, "kind" | "title" | "paths">;

const columns = {
  WHAT: ({ title }: Listed) => title,
  WHERE: ({ paths }: Listed) => paths.join(", "),
};

const describeConsequence = (parts: readonly Part[], location: VaultLocation): string =>
  parts.some(({ kind }) => kind === "vault")
    ? `this deletes the vault in ${describeVault(location)} for good, with all records and files, and removes everything listed`
    : "this removes everything listed";

/** A server would go on with files that are gone. The service's own server is stopped with it. */
async function requireStopped(location: VaultLocation, parts: readonly Part[]): Promise<void> {
  if (parts.some(({ kind }) => kind === "service")) return;
  const folders = parts.flatMap(({ kind }) =>
    kind === "demo" ? [getDemoFolder(location)] : kind === "vault" ? [location.dataDir] : [],
  );
  for (const folder of folders) {
    const url = await findVaultServer(folder);
    if (url !== undefined)
      throw new PdppError("unavailable", `pdpp is running at ${url}`, { next_step: "stop it, then run this again" });
  }
}

const listLeftovers = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];

function describeNextStep(): string {
  if (isSea()) return `Now remove the program: delete ${process.execPath}`;
  return isInstalled
    ? "Now remove the program: npm uninstall --global pdpp"
    : "Now remove the program: delete the folder that you cloned.";
}
