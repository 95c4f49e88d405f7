import type { SourceDocument } from "@pdpp/contract/sources";
import { describe, expect, it } from "vitest";
import { listBuiltins } from "../builtin/builtin.ts";
import { getProvider, getScope } from "../oauth/providers.ts";
import { loadSignInFields } from "./fields.ts";

const describeSource = (builtin: string): SourceDocument => ({
  object: "source",
  source_id: "one",
  kind: "connector",
  settings: { builtin, values: {} },
  status: "active",
  created_at: "2026-11-01T00:00:00Z",
  schedule: { mode: "manual", interval_seconds: 3600, minimum_interval_seconds: 60 },
});

describe("the sign-in of connectors that come with pdpp", () => {
  it.each(["imap", "caldav", "carddav"])(
    "[COL-55] [COL-57] %s takes a password, or a token of Google",
    async (name) => {
      expect(listBuiltins().map((builtin) => builtin.name)).toContain(name);
      const { connector, fields, tokenVariable } = await loadSignInFields(describeSource(name), "");
      expect(fields.map(({ variable }) => variable)).toEqual([expect.stringMatching(/_PASSWORD$/)]);
      expect(tokenVariable).toMatch(/_ACCESS_TOKEN$/);
      expect(getScope(getProvider("google"), "google", connector)).toMatch(/^https:/);
    },
  );
});
