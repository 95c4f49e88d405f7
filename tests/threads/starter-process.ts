import { startProcess } from "@pdpp/threads/process";

/** Starts a bounded process, prints its pid, and keeps it busy. */
const started = startProcess<string, string>({
  module: new URL("./sample-thread.ts", import.meta.url),
  limits: { maxMemoryMb: 300, maxHeapMb: 100, maxTaskMs: 600_000 },
  parse: String,
});
console.log((await started.ask("pid")).split(" ")[0]);
await started.ask("hang");
