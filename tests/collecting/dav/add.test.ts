import type { SourceDocument } from "@pdpp/contract/sources";
import { createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { expect, it } from "vitest";

it("[COL-110] [COL-120] takes every setting of calendars, contacts and feeds as an option", async () => {
  const vault = createCliVault({ isInProcess: true });
  try {
    const add = async (name: string, settings: Record<string, string>) => {
      const options = Object.entries(settings).flatMap(([option, value]) => [`--${option}`, value]);
      const { settings: saved } = await vault.json<SourceDocument>(["source", "add", name, ...options]);
      return saved.values;
    };
    const account = { url: "ada@example.org", user: "ada", collections: "Home", absent: "keep" };
    const variables = { DAV_URL: "ada@example.org", DAV_USER: "ada", DAV_COLLECTIONS: "Home", DAV_ABSENT: "keep" };
    expect(await add("caldav", { ...account, zone: "Europe/Berlin" })).toEqual({
      ...variables,
      DAV_TIME_ZONE: "Europe/Berlin",
    });
    expect(await add("carddav", account)).toEqual(variables);
    const url = "https://example.org/a,b https://example.org/c";
    expect(await add("feed", { url })).toEqual({ FEED_URL: url });
  } finally {
    vault.drop();
  }
});
