import { describe } from "vitest";
import { accessLogCases } from "./conformance/access-log.ts";
import { blobCases } from "./conformance/blobs.ts";
import { changeCases } from "./conformance/changes.ts";
import { concurrency } from "./conformance/concurrency.ts";
import { grantCases } from "./conformance/grants.ts";
import { listCases } from "./conformance/lists.ts";
import { manifestChanges } from "./conformance/manifest-changes.ts";
import { migrations } from "./conformance/migrations.ts";
import { registrationCases } from "./conformance/registration.ts";
import { removalCases } from "./conformance/removal.ts";
import { searchCases } from "./conformance/search.ts";
import type { OpenVault } from "./conformance/vault.ts";
import { writeCases } from "./conformance/writes.ts";

/** What every engine must do, each case on a vault of its own. */
export function storeConformance(open: OpenVault): void {
  describe("vault", () => migrations(open));
  describe("manifests", () => manifestChanges(open));
  describe("registration", () => registrationCases(open));
  describe("writes", () => writeCases(open));
  describe("concurrent writers", () => concurrency(open));
  describe("changes", () => changeCases(open));
  describe("lists", () => listCases(open));
  describe("blobs", () => blobCases(open));
  describe("removal", () => removalCases(open));
  describe("word index", () => searchCases(open));
  describe("grants and tokens", () => grantCases(open));
  describe("access log", () => accessLogCases(open));
}
