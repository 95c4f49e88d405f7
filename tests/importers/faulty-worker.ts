import { parentPort } from "node:worker_threads";

/** A parser that does with each document what its bytes say. */
parentPort?.on("message", ({ bytes }: { bytes: Uint8Array }) => {
  const told = Buffer.from(bytes).toString();
  if (told.includes("hang")) for (;;);
  if (told.includes("wait")) return;
  if (told.includes("crash")) throw new Error("it fell over");
  if (told.includes("exit")) process.exit(3);
  if (told.includes("objects")) for (const kept: object[] = []; ; ) kept.push({ n: kept.length });
  if (told.includes("bytes")) for (const kept: Buffer[] = []; ; ) kept.push(Buffer.alloc(8_000_000, 1));
  parentPort?.postMessage({ answer: { text: `read: ${told}`, isCut: false } });
});
