import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { expect, it } from "vitest";
import { findConnectionsUsing } from "#server/store/blobs/blob-access";
import { loadBlobMetadata, putBlob } from "#server/store/blobs/blobs";
import { raw } from "#server/store/engine/sql";
import type { Store } from "#server/store/store";
import { createDiary, createScope, diaryFields, now, openDiary, ownerNo, put } from "../sample.ts";
import { type OpenVault, withVault } from "../vault.ts";

const chunk = 256 * 1024;

async function* splitBytes(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const storeBlob = (store: Store, bytes: Buffer, pieces = 100_000) =>
  putBlob(store.engine, store.blobs, ownerNo, splitBytes(bytes, pieces), "image/png", now);

async function readBack(store: Store, blobId: string, first: number, last: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of store.blobs.read(ownerNo, blobId, first, last)) parts.push(part);
  return Buffer.concat(parts);
}

/** Everything stored for blobs: files or chunks, and their rows. */
async function countTraces({ store, dataDir }: TestVault): Promise<{ bytes: number; known: number }> {
  const count = async (table: string) =>
    (await store.engine.read((on) => on.all(raw(`SELECT blob_id FROM ${table}`)))).length;
  const countFiles = () =>
    readdirSync(`${dataDir}/blobs`, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  return {
    bytes: store.engine.dialect.name === "sqlite" ? countFiles() : await count("blob_chunk"),
    known: await count("blob"),
  };
}

export function testBlobs(open: OpenVault): void {
  it("returns bytes completely and in every range around chunk boundaries", () =>
    withVault(open, async ({ store }) => {
      const bytes = randomBytes(2 * chunk + 1000);
      const { blob_id, size_bytes, sha256 } = await storeBlob(store, bytes);
      expect(size_bytes).toBe(bytes.length);
      expect(blob_id).toBe(`blob_sha256_${sha256}`);
      const borders = [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1, bytes.length - 1];
      for (const first of borders) {
        for (const last of borders.filter((at) => at >= first)) {
          expect(
            (await readBack(store, blob_id, first, last)).equals(bytes.subarray(first, last + 1)),
            `${first}-${last}`,
          ).toBe(true);
        }
      }
    }));

  it.each([1, chunk - 1, chunk, chunk + 1, 2 * chunk])("returns %i bytes", (size) =>
    withVault(open, async ({ store }) => {
      const bytes = randomBytes(size);
      const { blob_id } = await storeBlob(store, bytes, size === 1 ? 1 : chunk / 2 + 7);
      expect((await readBack(store, blob_id, 0, size - 1)).equals(bytes)).toBe(true);
      expect((await readBack(store, blob_id, size - 1, size - 1)).equals(bytes.subarray(-1))).toBe(true);
    }),
  );

  it("stores an empty blob", () =>
    withVault(open, async ({ store }) => {
      const { blob_id, size_bytes } = await storeBlob(store, Buffer.alloc(0));
      expect(size_bytes).toBe(0);
      expect(await readBack(store, blob_id, 0, -1)).toHaveLength(0);
      expect(await store.engine.read((on) => loadBlobMetadata(on, ownerNo, blob_id))).toMatchObject({ sizeBytes: 0 });
    }));

  it("stores the same bytes once, for sequential and concurrent uploads", () =>
    withVault(open, async (vault) => {
      const bytes = randomBytes(chunk + 1);
      const first = await storeBlob(vault.store, bytes);
      const before = await countTraces(vault);
      expect((await storeBlob(vault.store, bytes, 7777)).blob_id).toBe(first.blob_id);
      expect(await countTraces(vault)).toEqual(before);

      const others = randomBytes(chunk + 1);
      const refs = await Promise.all([
        storeBlob(vault.store, others),
        storeBlob(vault.store, others),
        storeBlob(vault.store, others),
      ]);
      expect(new Set(refs.map(({ blob_id }) => blob_id)).size).toBe(1);
      expect((await readBack(vault.store, refs[0]!.blob_id, 0, chunk)).equals(others)).toBe(true);
      expect(await countTraces(vault)).toEqual({ bytes: before.bytes * 2, known: 2 });
    }));

  it("leaves nothing of an interrupted upload", () =>
    withVault(open, async (vault) => {
      const { store } = vault;
      await storeBlob(store, randomBytes(10));
      const before = await countTraces(vault);
      async function* breakOff() {
        yield randomBytes(chunk * 2);
        throw new Error("connection lost");
      }
      await expect(putBlob(store.engine, store.blobs, ownerNo, breakOff(), "image/png", now)).rejects.toThrow(
        "connection lost",
      );
      expect(await countTraces(vault)).toEqual(before);
    }));

  it("accepts a reference to a blob that does not exist", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home"], createDiary({}, { ...diaryFields, blob_ref: { type: "object" } }));
      const odd = ["", "x", randomBytes(5000).toString("base64"), "\ufffd"];
      const report = await put(
        store,
        "home",
        odd.map((blob_id, n) => ({ id: `k${n}`, blob_ref: { blob_id } })),
      );
      expect(report.records_accepted).toBe(odd.length);
      const scope = await createScope(store);
      const findUsers = (id: string) => store.engine.read((on) => findConnectionsUsing(on, scope, id));
      for (const blob_id of odd) expect(await findUsers(blob_id)).toHaveLength(1);
      for (const blob_id of ["a\0", "\ud800"]) expect(await findUsers(blob_id)).toEqual([]);
    }));

  it("tracks which connections' records refer to a blob", () =>
    withVault(open, async ({ store }) => {
      await openDiary(
        store,
        ["home", "work"],
        createDiary({}, { ...diaryFields, blob_ref: { type: ["object", "null"] } }),
      );
      const blob_ref = { blob_id: "blob_sha256_x", mime_type: "image/png" };
      const findUsers = async (fields: ReadonlySet<string> | null = null) => {
        const scope = { ...(await createScope(store)), fields };
        return (await store.engine.read((on) => findConnectionsUsing(on, scope, "blob_sha256_x"))).map(({ id }) => id);
      };
      await put(store, "home", [
        { id: "a", blob_ref },
        { id: "b", blob_ref },
      ]);
      await put(store, "work", [{ id: "a" }]);
      expect(await findUsers()).toEqual(["home"]);
      expect(await findUsers(new Set(["id"]))).toEqual([]);
      await put(store, "work", [{ id: "a", blob_ref }]);
      expect(await findUsers()).toEqual(["home", "work"]);
      await put(store, "home", [{ gone: "a" }, { id: "b", blob_ref: null }]);
      expect(await findUsers()).toEqual(["work"]);
    }));
}
