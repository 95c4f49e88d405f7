import { answerTasks } from "#importers/core/workers/answer-tasks";

/** A parser that does with each document what its bytes say. */
answerTasks(async ({ bytes }: { bytes: Uint8Array }) => {
  const order = Buffer.from(bytes).toString();
  if (order.includes("hang")) for (;;);
  if (order.includes("wait")) return new Promise<never>(() => undefined);
  if (order.includes("crash"))
    return new Promise<never>(() => {
      setImmediate(() => {
        throw new Error("it fell over");
      });
    });
  if (order.includes("exit")) process.exit(3);
  if (order.includes("objects")) for (const kept: object[] = []; ; ) kept.push({ n: kept.length });
  if (order.includes("bytes")) for (const kept: Buffer[] = []; ; ) kept.push(Buffer.alloc(8_000_000, 1));
  return { text: `read: ${order}`, isCut: false };
});
