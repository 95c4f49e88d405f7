import { describe } from "vitest";
import { testAccessLog } from "./conformance/access-log.ts";
import { testBlobs } from "./conformance/blobs.ts";
import { testChanges } from "./conformance/changes.ts";
import { testConcurrency } from "./conformance/concurrency.ts";
import { testGrants } from "./conformance/grants.ts";
import { testLists } from "./conformance/lists.ts";
import { testManifestChanges } from "./conformance/manifest-changes.ts";
import { testMigrations } from "./conformance/migrations.ts";
import { testRegistration } from "./conformance/registration.ts";
import { testRemoval } from "./conformance/removal.ts";
import { testSearch } from "./conformance/search.ts";
import type { OpenVault } from "./conformance/vault.ts";
import { testWrites } from "./conformance/writes.ts";

/** The tests that every engine must pass, each with its own vault. */
export function storeConformance(open: OpenVault): void {
  describe("vault", () => testMigrations(open));
  describe("manifests", () => testManifestChanges(open));
  describe("registration", () => testRegistration(open));
  describe("writes", () => testWrites(open));
  describe("concurrent writers", () => testConcurrency(open));
  describe("changes", () => testChanges(open));
  describe("lists", () => testLists(open));
  describe("blobs", () => testBlobs(open));
  describe("removal", () => testRemoval(open));
  describe("word index", () => testSearch(open));
  describe("grants and tokens", () => testGrants(open));
  describe("access log", () => testAccessLog(open));
}
