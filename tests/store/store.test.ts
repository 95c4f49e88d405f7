import { createVault, engineNames } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, describe, expect } from "vitest";
import { testAccessLog } from "./conformance/access-log.ts";
import { testBlobs } from "./conformance/blobs.ts";
import { testChanges } from "./conformance/changes.ts";
import { testConcurrency } from "./conformance/concurrency.ts";
import { testGrants } from "./conformance/grants.ts";
import { testLists } from "./conformance/lists.ts";
import { testLogNumbers } from "./conformance/log-numbers.ts";
import { testLoggedRequests } from "./conformance/logged-requests.ts";
import { testManifestChanges } from "./conformance/manifest-changes.ts";
import { testMigrations } from "./conformance/migrations.ts";
import { testRegistration } from "./conformance/registration.ts";
import { testRemoval } from "./conformance/removal.ts";
import { testSearch } from "./conformance/search.ts";
import { testThumbnails } from "./conformance/thumbnails.ts";
import { testWrites } from "./conformance/writes.ts";

const warnings: string[] = [];
process.on("warning", ({ name, message }) => {
  if (name === "DeprecationWarning") warnings.push(message);
});

describe.concurrent.each(engineNames)("store on %s", (engine) => {
  const open = () => createVault(engine);
  describe("vault", () => testMigrations(open));
  describe("manifests", () => testManifestChanges(open));
  describe("registration", () => testRegistration(open));
  describe("writes", () => testWrites(open));
  describe("concurrent writers", () => testConcurrency(open));
  describe("changes", () => testChanges(open));
  describe("lists", () => testLists(open));
  describe("blobs", () => testBlobs(open));
  describe("thumbnails", () => testThumbnails(open));
  describe("removal", () => testRemoval(open));
  describe("word index", () => testSearch(open));
  describe("grants and tokens", () => testGrants(open));
  describe("access log", () => testAccessLog(open));
  describe("numbers in the access log", () => testLogNumbers(open));
  describe("requests in the access log", () => testLoggedRequests(open));
});

// Among them: "Calling client.query() when the client is already executing a query", which pg 9 makes an error.
afterAll(() => expect(warnings).toEqual([]));
