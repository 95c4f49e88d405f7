// Applies each deliberate bug of list.ts to a copy of the tree and runs the test that must catch it. Exits with 1 if one is not caught.
// npm run mutations [-- --only TEXT] [-- --from N --to M]
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mutations } from "./list.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    from: { type: "string", default: "0" },
    to: { type: "string" },
    help: { type: "boolean" },
  },
});
if (options.help) {
  console.log(
    "npm run mutations -- [--only TEXT] [--from N] [--to M]\n\nEach bug takes seconds to a minute; all of them about half an hour.",
  );
  process.exit(0);
}
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const copy = mkdtempSync(join(tmpdir(), "pdpp-mutations-"));

/** Copies the sources but not the dependencies; the workspace packages are those of the copy. */
function makeCopy() {
  const excluded = new Set(["node_modules", ".git"]);
  for (const entry of readdirSync(root))
    if (!excluded.has(entry)) cpSync(join(root, entry), join(copy, entry), { recursive: true });
  mkdirSync(join(copy, "node_modules/@pdpp"), { recursive: true });
  for (const entry of readdirSync(join(root, "node_modules")))
    if (entry !== "@pdpp") symlinkSync(join(root, "node_modules", entry), join(copy, "node_modules", entry));
  for (const entry of readdirSync(join(copy, "packages")))
    symlinkSync(join(copy, "packages", entry), join(copy, "node_modules/@pdpp", entry));
  symlinkSync(join(copy, "tests/support"), join(copy, "node_modules/@pdpp/test-support"));
}

const commands = {
  walk: (args = ["--seed", "7", "--vaults", "40"]) => ["programs/proof/main.ts", ...args],
  fuzz: (args = ["--seed", "5", "--calls", "8000"]) => ["programs/fuzz/main.ts", ...args],
};

/** The first line of the failure, or null if everything passed. */
function findFailure({ by, args }) {
  const command = commands[by]?.(args) ?? ["node_modules/vitest/vitest.mjs", "run", by, ...(args ?? [])];
  const { status, error, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: copy,
    encoding: "utf8",
    timeout: 600_000,
  });
  // A run that neither passes nor fails has not caught the bug.
  if (error !== undefined) return null;
  if (status === 0) return null;
  const message = /(?:Error: |FAIL )(.*)/.exec(`${stderr}${stdout}`)?.[1] ?? "the process exited";
  return message.slice(0, 110);
}

function applyMutation(text, { name, find, replace }) {
  if (text.split(find).length !== 2)
    throw new Error(`${name}: the text to replace occurs ${text.split(find).length - 1} times`);
  return text.replace(find, () => replace);
}

makeCopy();
let missed = 0;
try {
  const chosen = mutations
    .slice(Number(options.from), options.to === undefined ? mutations.length : Number(options.to))
    .filter(({ name }) => options.only === undefined || name.includes(options.only));
  if (chosen.length === 0) throw new Error("no mutation matches these options");
  for (const mutation of chosen) {
    const file = join(copy, mutation.file);
    const before = readFileSync(file, "utf8");
    const replacements = [mutation, ...(mutation.also ?? []).map((also) => ({ name: mutation.name, ...also }))];
    writeFileSync(file, replacements.reduce(applyMutation, before));
    const caught = findFailure(mutation);
    writeFileSync(file, before);
    if (caught === null) missed += 1;
    console.log(
      `${caught === null ? "MISSED" : "caught"}  ${mutation.name} (${mutation.by})${caught === null ? "" : `: ${caught}`}`,
    );
  }
  console.log(`${chosen.length - missed} of ${chosen.length} caught`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = missed === 0 ? 0 : 1;
