import { drawPng } from "@pdpp/test-support/pictures/draw";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { expect, it } from "vitest";
import { deleteUnusedBlobs, putBlob } from "#server/store/blobs/blobs";
import { openThumbnails, type ThumbnailLimits } from "#server/store/blobs/thumbnails";
import { raw } from "#server/store/engine/sql";
import { now, ownerNo } from "../sample.ts";
import { type OpenVault, withVault } from "../vault.ts";

export function testThumbnails(open: OpenVault): void {
  const storePicture = async ({ store }: TestVault, bytes: Buffer) => {
    async function* listAll() {
      yield bytes;
    }
    const { blob_id: id, size_bytes: sizeBytes } = await putBlob(
      store.engine,
      store.blobs,
      ownerNo,
      listAll(),
      "image/png",
      now,
    );
    return { id, sizeBytes, open: () => store.blobs.read(ownerNo, id, 0, sizeBytes - 1) };
  };
  const listStored = async ({ store }: TestVault): Promise<string[]> => {
    const rows = await store.engine.read((on) =>
      on.all<{ blob_id: string }>(raw("SELECT blob_id FROM blob_thumbnail ORDER BY created_at")),
    );
    return rows.map(({ blob_id }) => blob_id);
  };
  const drawOne = (red: number) => drawPng(30, 20, () => [red, 0, 0]);

  it("[BIG-18] makes a thumbnail once, remembers files without one, and deletes it with the blob", () =>
    withVault(open, async (vault) => {
      const { engine, blobs, thumbnails } = vault.store;
      const picture = await storePicture(vault, drawOne(9));
      const first = await thumbnails.load(ownerNo, { ...picture, bytes: picture.open() });
      expect(first?.subarray(0, 3)).toEqual(Uint8Array.of(0xff, 0xd8, 0xff));
      // It is not read again.
      const unread = new ReadableStream<Uint8Array>({}, { highWaterMark: 0 });
      const second = await thumbnails.load(ownerNo, { ...picture, bytes: unread });
      expect(second && Buffer.from(second).equals(first!)).toBe(true);

      const text = await storePicture(vault, Buffer.from("<svg onload='alert(1)'/>"));
      expect(await thumbnails.load(ownerNo, { ...text, bytes: text.open() })).toBeUndefined();
      expect(await listStored(vault)).toHaveLength(2);

      await deleteUnusedBlobs(engine, blobs, ownerNo, now + 1);
      expect(await listStored(vault)).toEqual([]);
      // The blob is gone, so nothing is stored for it.
      await thumbnails.load(ownerNo, { ...picture, bytes: new Blob([new Uint8Array(drawOne(9))]).stream() });
      expect(await listStored(vault)).toEqual([]);
    }));

  it("[BIG-18] deletes the oldest thumbnails when they take too much space", () =>
    withVault(open, async (vault) => {
      let at = now;
      const limits: ThumbnailLimits = { maxStoredBytes: 1500, checkInterval: 1 };
      const thumbnails = openThumbnails(vault.store.engine, () => (at += 1), limits);
      const ids: string[] = [];
      for (const red of [10, 60, 110, 160, 210]) {
        const picture = await storePicture(vault, drawOne(red));
        await thumbnails.load(ownerNo, { ...picture, bytes: picture.open() });
        ids.push(picture.id);
      }
      await thumbnails.close();
      const stored = await listStored(vault);
      expect(stored.length).toBeGreaterThan(0);
      expect(stored.length).toBeLessThan(5);
      expect(stored).toEqual(ids.slice(-stored.length));
    }));
}
