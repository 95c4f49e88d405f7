import { lowerPriority } from "@pdpp/threads/lower-priority";
import { startWatchdog } from "@pdpp/threads/watchdog";

/** Resident memory of an import's own process. Parsers and databases run in other processes, with other limits. */
export const maxImportMemoryMb = 1000;

/** Limits this process, which does nothing but import. The server goes first: people are waiting for it. */
export function limitImport(maxMemoryMb = maxImportMemoryMb): void {
  lowerPriority();
  const message = `The import needs more than ${maxMemoryMb} MB of memory and was stopped. Imported records are kept; to continue, run it again.`;
  startWatchdog({ maxMemoryMb, messages: { too_slow: "", too_much_memory: message } }).begin();
}
