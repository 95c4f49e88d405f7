import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HostClass, hostClasses } from "./host-classes.ts";
import { type Era, openSession, type Session } from "./session.ts";
import { type Task, tasks } from "./tasks.ts";
import { openWorld, type World } from "./world.ts";

/** Every host class completes every task with what it shows. Titles read as host class, then task. */

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

async function inSession<T>(host: HostClass, era: Era, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await openSession(world, host, era);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

describe.each(hostClasses)("$name host", (host) => {
  const finishes = (task: Task) =>
    inSession(host, "2026-07-28", async ({ agent }) => expect(await task.run(agent)).toBe(task.expected));

  it("[HOST-1, LAD-1, LAD-8, HND-8] finds a fact in a 200 kB field", () => finishes(tasks.fact));
  it("[HOST-1, HND-5] reads a compound-key record", () => finishes(tasks.compoundKey));
  it("[HOST-1, HOST-3, BIG-5] pages through 1,000 records", () => finishes(tasks.paging));
  it("[HOST-1, HOST-3, SCH-5] answers a monthly spend question", () => finishes(tasks.spend));
  it("[HOST-1, SRCH-2] identifies the account a message came from", () => finishes(tasks.account));
  it("[HOST-1, HOST-2, AMB-1] recovers from ambiguous_connection", () => finishes(tasks.ambiguous));
  it("[HOST-1, WIN-6] reads a nested JSON value", () => finishes(tasks.nested));
  it("[HOST-1, BIG-1] learns the size and type of an image", () => finishes(tasks.image));

  it("[HOST-7] completes the tasks in the older protocol era too", () =>
    inSession(host, "2025-11-25", async ({ agent }) => {
      const { paging: _, ...quick } = tasks;
      for (const task of Object.values(quick)) expect(await task.run(agent)).toBe(task.expected);
    }));
});
