// Must avoid newer syntax, as pdpp.mjs.

/** Only start flags can limit the garbage that a process keeps. */
const flagsByCommand = [
  // Node lets garbage grow to three times the live heap. That is most of an import's memory.
  ["import", ["--max-old-space-size=1024", "--max-semi-space-size=4"]],
  // The young generation of each busy thread grows to 64 MB and stays there. A heap that may grow by less than half before the next
  // full collection is collected several times a second, because answers come from reading threads. An idle server collects what is left,
  // and returns it to the system by a function of glibc, which Node calls experimental.
  [
    "serve",
    ["--max-semi-space-size=4", "--heap-growing-percent=100", "--expose-gc", "--disable-warning=ExperimentalWarning"],
  ],
];

export function getMemoryFlags() {
  const isConfigured = /max-old-space-size|max-semi-space-size/.test(`${process.execArgv} ${process.env.NODE_OPTIONS}`);
  const found = flagsByCommand.find(([command]) => process.argv.includes(command));
  return found === undefined || isConfigured ? [] : found[1];
}

/** Re-executes the process with the flags. Where execve is missing, it continues and needs more memory. */
export function restartWithMemoryFlags() {
  const flags = getMemoryFlags();
  if (flags.length === 0 || !process.execve || process.channel) return;
  const args = isSingleExecutable()
    ? [process.argv0, `--node-options=${flags.join(" ")}`].concat(process.argv.slice(2))
    : [process.execPath].concat(process.execArgv, flags, process.argv.slice(1));
  // With glibc, each thread may get its own heap, and other threads cannot use its free memory.
  const env = Object.assign({ MALLOC_ARENA_MAX: "2" }, process.env);
  process.execve(process.execPath, args, env);
}

/** An older Node, which has no such function, never is one. */
function isSingleExecutable() {
  return process.getBuiltinModule("node:sea").isSea();
}
