import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { sqliteDialect } from "./dialect.ts";
import { createPool } from "./pool.ts";
import type { Reader } from "./readers.ts";

function createReaders() {
  const [opened, closed] = [new Set<Reader>(), new Set<Reader>()];
  const open = async (): Promise<Reader> => {
    const reader: Reader = {
      dialect: sqliteDialect,
      all: async () => [],
      one: async () => undefined,
      allCached: async () => [],
      isBroken: () => false,
      begin: async () => undefined,
      end: async () => undefined,
      close: async () => void closed.add(reader),
    };
    opened.add(reader);
    return reader;
  };
  return { open, opened, closed };
}

it("[FAIR-7] closes readers that are idle, and opens others when they are needed", async () => {
  const { open, opened, closed } = createReaders();
  const pool = createPool(2, open, 20);
  const [first, second] = [await pool.take(), await pool.take()];
  pool.giveBack(first);
  expect(await pool.take()).toBe(first);
  pool.giveBack(first);
  while (!closed.has(first)) await wait(5);
  expect(closed.has(second)).toBe(false);
  const third = await pool.take();
  expect([third === first, opened.size]).toEqual([false, 3]);
  pool.giveBack(second);
  pool.giveBack(third);
  await pool.close(1000);
  expect(closed).toEqual(opened);
});
