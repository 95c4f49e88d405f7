// Must avoid newer syntax, as pdpp.mjs.

/** Node lets garbage grow to three times the live heap. That is most of an import's memory, and only start flags can limit it. */
export function getMemoryFlags() {
  const isConfigured = /max-old-space-size|max-semi-space-size/.test(`${process.execArgv} ${process.env.NODE_OPTIONS}`);
  return process.argv.includes("import") && !isConfigured
    ? ["--max-old-space-size=1024", "--max-semi-space-size=4"]
    : [];
}

/** Re-executes the process with the flags. Where execve is missing, it continues and needs more memory. */
export function restartWithMemoryFlags() {
  const flags = getMemoryFlags();
  if (flags.length === 0 || !process.execve || process.channel) return;
  const args = process.execArgv.concat(flags, process.argv.slice(1));
  process.execve(process.execPath, [process.execPath].concat(args), process.env);
}
