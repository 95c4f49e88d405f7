import fc from "fast-check";
import { expect, it } from "vitest";
import type { Turn } from "./turn.ts";
import { groupTurns } from "./turn-groups.ts";

const minute = 60_000;

const createTurn = (n: number, at: number, sender: string | undefined, isOwn = false): Turn => ({
  id: `chat/messages:${n}`,
  recordId: String(n),
  at,
  day: new Date(at).toISOString().slice(0, 10),
  clock: new Date(at).toISOString().slice(11, 16),
  sender,
  isOwn,
  isGenerated: false,
  text: "",
  files: [],
  reactions: [],
  replyTo: undefined,
});

it("[CSL-103] names a sender once for consecutive messages of a day", () => {
  const start = Date.parse("2026-10-27T23:50:00Z");
  const days = groupTurns([
    createTurn(1, start, "Ada"),
    createTurn(2, start + minute, "Ada"),
    createTurn(3, start + 2 * minute, "Jonas"),
    createTurn(4, start + 11 * minute, "Jonas"),
    createTurn(5, start + 60 * minute, "Jonas"),
  ]);
  expect(days.map(({ day, groups }) => [day, groups.map(({ sender, turns }) => `${sender} ${turns.length}`)])).toEqual([
    ["2026-10-27", ["Ada 2", "Jonas 1"]],
    ["2026-10-28", ["Jonas 1", "Jonas 1"]],
  ]);
});

it("[CSL-103] keeps every turn, in order, in a group of its sender and day", () => {
  const turn = fc.record({
    pause: fc.integer({ min: 0, max: 600 }),
    sender: fc.constantFrom("Ada", "Jonas", undefined),
    isOwn: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 60 }), (all) => {
      let at = Date.parse("2026-01-01T00:00:00Z");
      const turns = all.map(({ pause, sender, isOwn }, n) => {
        at += pause * minute;
        return createTurn(n, at, sender, isOwn);
      });
      const days = groupTurns(turns);
      expect(days.flatMap(({ groups }) => groups.flatMap((group) => group.turns))).toEqual(turns);
      expect(new Set(days.map(({ day }) => day)).size).toBe(days.length);
      for (const { day, groups } of days)
        for (const group of groups)
          for (const each of group.turns)
            expect([each.day, each.sender, each.isOwn]).toEqual([day, group.sender, group.isOwn]);
    }),
  );
});
