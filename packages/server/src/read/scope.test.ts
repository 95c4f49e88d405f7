import { expect, it } from "vitest";
import { describeCandidates } from "./scope.ts";

it("[AMB-3] lists the first dozen candidates by label, or by id where there is no label", () => {
  const candidate = (id: string, label?: string) => ({
    connector_key: "chat",
    connection_id: id,
    ...(label === undefined ? {} : { display_name: label }),
  });
  const few = ["Work", "Home", "Account 10", "Account 9"].map((label, i) => candidate(`c${i}`, label));
  const listed = (found: typeof few) => describeCandidates(found).available_connections;
  expect(listed(few).map(({ display_name: label }) => label)).toEqual(["Account 9", "Account 10", "Home", "Work"]);
  expect(listed([candidate("b"), candidate("c", "Attic"), candidate("a")]).map(({ connection_id: id }) => id)).toEqual([
    "a",
    "c",
    "b",
  ]);
  const many = Array.from({ length: 30 }, (_, i) => candidate(`c${i}`, `Account ${30 - i}`));
  expect(listed(many).map(({ display_name: label }) => label)).toEqual(
    Array.from({ length: 12 }, (_, i) => `Account ${i + 1}`),
  );
});
