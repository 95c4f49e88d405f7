import { createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { afterAll, expect, it } from "vitest";

const vault = createCliVault({ isInProcess: true });
afterAll(() => vault.drop());

interface Made {
  readonly may: string[];
  readonly expires_at?: string;
}
const create = (...options: string[]) => vault.json<Made>(["owner-token", "create", ...options]);
const countDays = ({ expires_at = "" }: Made) => Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000);

it("[AUT-13] creates a token that reads for 90 days, unless asked for more", async () => {
  const made = await create();
  expect([made.may, countDays(made)]).toEqual([["read"], 90]);
});

it("[AUT-13] creates a token for everything, or for ever, when asked", async () => {
  const made = await create("--may", "everything", "--expires", "never");
  expect([made.may, made.expires_at]).toEqual([["everything"], undefined]);
  const both = await create("--may", "ingest", "--may", "manage", "--expires", "7d");
  expect([both.may, countDays(both)]).toEqual([["ingest", "manage"], 7]);
});
