import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { afterAll, expect, it } from "vitest";
import { normalizeAnswer } from "#importing/plan/answers";

interface Imported {
  plan: { questions: { key: string; usual?: string }[] }[];
  report: { streams: { stream: string; stored: number; changed: number; unchanged: number }[] }[];
}

const vault = createCliVault({ isInProcess: true });
afterAll(() => vault.drop());

const buildChat = (name: string, lines: readonly string[]): string => {
  const path = join(vault.directory, `WhatsApp Chat with ${name}.txt`);
  writeFileSync(path, lines.join("\n"));
  return path;
};
const importChat = (path: string, ...more: string[]) => vault.json<Imported>(["import", path, "--yes", ...more]);
const listMessages = ({ report }: Imported) => report[0]?.streams.find(({ stream }) => stream === "messages");
const lines = ["13/01/2024, 10:00 - Ada: boiler", "14/01/2024, 10:01 - Ben: which one?"];

it("[IMP-10] [IMP-3] reuses an earlier answer, says so, and changes nothing", async () => {
  const path = buildChat("Ada", lines);
  const first = await importChat(path, "--time-zone", "Europe/Berlin", "--me", "Ben");
  expect(listMessages(first)).toMatchObject({ stored: 2 });
  const again = await importChat(path, "--again");
  expect(listMessages(again)).toMatchObject({ stored: 0, changed: 0, unchanged: 2 });
  expect(again.plan[0]?.questions.map(({ usual }) => usual)).toEqual(["Europe/Berlin", "Ben"]);
  const { stdout } = await vault.run(["import", path, "--dry-run"]);
  expect(stdout).toContain("using time zone Europe/Berlin (from your last import); change with --time-zone");
  expect(stdout).toContain("using your name Ben (from your last import); change with --me");
});

it("[IMP-10] another chat of the same phone reuses its zone, and the name only if it occurs there", async () => {
  const other = await importChat(buildChat("Cem", ["15/01/2024, 10:00 - Cem: hello", "16/01/2024, 10:00 - Dora: yes"]));
  expect(other.plan[0]?.questions).toMatchObject([{ usual: "Europe/Berlin" }, { usual: "" }]);
  const { stdout } = await vault.run(["export", "--stream", "messages"]);
  expect(stdout).toContain('"sent_at":"2024-01-15T10:00:00+01:00"');
  // An option says otherwise, and is what the next one takes.
  const moved = await importChat(buildChat("Ada", lines), "--time-zone", "Asia/Tokyo");
  expect(listMessages(moved)).toMatchObject({ changed: 2 });
  expect(listMessages(await importChat(buildChat("Ada", lines), "--again"))).toMatchObject({
    changed: 0,
    unchanged: 2,
  });
});

it("[IMP-10] accepts answers in any case, and a zone by its city", () => {
  expect(normalizeAnswer("me", "ada", ["Ben", "Ada"])).toBe("Ada");
  expect(normalizeAnswer("me", "Nobody", ["Ada"])).toBe("Nobody");
  expect(normalizeAnswer("time_zone", "berlin")).toBe("Europe/Berlin");
  expect(normalizeAnswer("time_zone", "new york")).toBe("America/New_York");
  expect(normalizeAnswer("time_zone", "UTC")).toBe("UTC");
  expect(normalizeAnswer("time_zone", "Nowhere")).toBe("Nowhere");
});
