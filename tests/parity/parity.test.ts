import { countChars, sliceChars } from "@pdpp/evidence/text/text";
import { engineNames } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Answer,
  type Call,
  formatKey,
  type NeutralAnswer,
  normalize,
  type Offer,
  type Window,
} from "./neutral.ts";
import { answers, failures } from "./table.ts";
import { createParityWorld, type ParityWorld } from "./world.ts";

/** Sends the same requests through REST, the command line and MCP over both transports, and compares the results. */

describe.each(engineNames)("the answers of every surface on %s", (engine) => {
  let world: ParityWorld;
  beforeAll(async () => {
    world = await createParityWorld(engine);
  });
  afterAll(() => world.close());

  test.each(answers)("%s", async (_, call) => {
    const given = await askEverywhere(world, (surface) => surface.ask(call));
    expectAlike(given, call);
    for (const { said } of given.values()) expect(said.error).toBeUndefined();
    await expectWays(given);
  });

  test.each(failures)("[AUT-6] %s", async (_, call, code) => {
    const given = await askEverywhere(world, (surface) => surface.ask(call));
    expectAlike(given, call);
    expect(given.get("REST")!.said.error?.code).toBe(code);
    // Calls offered by an error must work.
    await expectWays(given);
  });

  test("[AUT-5] [AUT-6] a revoked grant", async () => {
    await world.revoke();
    for (const call of [answers[3]![1], answers[10]![1]]) {
      const given = await askEverywhere(world, (surface) => surface.ask(call));
      expectAlike(given, call);
      expect(given.get("REST")!.said.error?.code).toMatch(/_revoked$/);
    }
  });
});

type Answers = ReadonlyMap<string, Answer>;

async function askEverywhere(
  { surfaces }: ParityWorld,
  ask: (surface: ParityWorld["surfaces"][number]) => Promise<Answer>,
): Promise<Answers> {
  const given = new Map<string, Answer>();
  for (const surface of surfaces) given.set(surface.name, await ask(surface));
  return given;
}

/** Every surface must agree with the first. */
function expectAlike(given: Answers, call: Call): void {
  const common = findCommon(
    [...given.values()].map(({ said }) => said),
    call,
  );
  const [first, ...others] = [...given.keys()].map((name, i) => [name, common[i]!] as const);
  for (const [name, said] of others) expect({ call, on: name, said }).toEqual({ call, on: name, said: first![1] });
}

/** Default sizes of windows, pages and indexes differ by surface; compare what all of them have. */
function findCommon(all: readonly NeutralAnswer[], { operation, input }: Call): NeutralAnswer[] {
  if (operation === "schema" && input.stream === undefined) return all.map(({ schema: _, ...said }) => said);
  if (operation === "queryRecords" && input.limit === undefined) {
    const least = Math.min(...all.map(({ records = [] }) => records.length));
    // A full page has a count without being asked.
    return all.map(({ next: _, records, count, ...said }) => ({
      ...said,
      ...(input.count === undefined ? {} : { count }),
      ...(records && { records: records.slice(0, least) }),
    }));
  }
  const windows = all.flatMap(({ window }) => (window === undefined ? [] : [window]));
  if (windows.length === 0 || windows.length < all.length) return [...all];
  // Cursors contain the page size, and tools end a default window earlier.
  const walked = input.cursor !== undefined && countChars(windows[0]!.text) <= everywhereChars;
  if (walked || input.limit_chars !== undefined || input.q !== undefined) return [...all];
  const least = Math.min(...windows.map(({ text }) => countChars(text)));
  const common = input.end_chars === undefined ? beginning : ending;
  return all.map((said) => (said.window === undefined ? said : { ...said, window: common(said.window, least) }));
}

/** A window that fits every surface. */
const everywhereChars = 2000;

function beginning({ end: _, next: __, complete: ___, previous: ____, ...window }: Window, chars: number): Window {
  return { ...window, text: sliceChars(window.text, 0, chars) };
}

/** Windows that read backwards end at the given place at any size. */
function ending({ start: _, next: __, complete: ___, previous: ____, ...window }: Window, chars: number): Window {
  const { text } = window;
  const length = countChars(text);
  return { ...window, text: sliceChars(text, length - chars, length) };
}

/** Follows what each response offers in its own notation; calls offered by all must lead to the same result. */
async function expectWays(given: Answers): Promise<void> {
  const offers = new Map<string, Map<string, Offer>>();
  for (const [name, answer] of given)
    for (const offer of answer.offers) {
      const key = formatKey(offer.call);
      offers.set(key, (offers.get(key) ?? new Map<string, Offer>()).set(name, offer));
    }
  for (const ways of offers.values()) {
    const reached = new Map<string, Answer>();
    for (const [name, offer] of ways) {
      const answer = await offer.follow();
      expect({ on: name, offer: offer.spelled, error: answer.said.error }).toMatchObject({ error: undefined });
      reached.set(name, answer);
    }
    expectAlike(reached, normalize([...ways.values()][0]!.call.operation, [...ways.values()][0]!.call.input));
  }
}
