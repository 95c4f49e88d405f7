import { measureExportMemory } from "@pdpp/test-support/cli/export-memory";
import { startReadServer } from "@pdpp/test-support/cli/read-server";
import type { Figure } from "./measure.ts";

const mostMb = 150;

/** Memory and speed of `pdpp read export` over HTTP, in a child process. */
export async function measureExport(count: number): Promise<Figure[]> {
  const server = await startReadServer(function* () {
    for (let i = 0; i < count; i += 1)
      yield { id: `m${String(i).padStart(8, "0")}`, subject: `Mail ${i}`, body: "All is well. ".repeat(20) };
  });
  try {
    const { lines, peakMb, ms } = await measureExportMemory(server);
    if (lines !== count) throw new Error(`${lines} of ${count} records came`);
    return [
      { what: "pdpp read export", unit: "records/s", ours: count / (ms / 1000) },
      { what: "pdpp read export, peak memory", unit: "MB", ours: peakMb, limit: { atMost: mostMb } },
    ];
  } finally {
    await server.close();
  }
}
