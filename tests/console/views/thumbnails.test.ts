import { drawJpeg, encodePng } from "@pdpp/test-support/pictures/draw";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import { signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getThumbnailUrl } from "#console/frame/addresses";
import { createOwner } from "#server/owner/owner";
import { stage } from "../../oauth/agent.ts";

describe.each(surfaceEngines)("thumbnails, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  const openOwner = () => createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());
  const attach = async (bytes: Uint8Array, mime_type: string, key: string): Promise<string> => {
    async function* listAll() {
      yield bytes;
    }
    const { blob_id } = await openOwner().blobs.put({ mime_type }, listAll());
    await putRecords(vault, "chat_home", "messages", [buildMessage(key, 62, { blob_ref: { blob_id, mime_type } })]);
    return blob_id;
  };

  it("[BIG-18] serves a thumbnail as JPEG, and only within the grant", async () => {
    const blob = await attach(await drawJpeg(900, 700, (x, y) => [x % 250, y % 250, 90]), "image/jpeg", "p");
    const path = getThumbnailUrl("chat_home", blob);
    const { status, headers } = await owner.open(`${site}/${path}`);
    expect([status, headers.get("content-type"), headers.get("x-content-type-options")]).toEqual([
      200,
      "image/jpeg",
      "nosniff",
    ]);
    expect(headers.get("cache-control")).toMatch(/^private/);
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    const issue = async (fields: string[]) => {
      const streams = [{ name: "messages", connection_ids: ["chat_home"], fields }];
      const sources = [{ connector_key: "chat", streams }];
      return (await openOwner().grants.issue({ client: { name: "Reader" }, sources })).grants[0]?.grant_id ?? "";
    };
    const [without, within] = [await issue(["id", "sent_at"]), await issue(["id", "sent_at", "blob_ref"])];
    expect((await owner.open(`${site}/as/${without}/${path}`)).status).toBe(404);
    expect((await owner.open(`${site}/as/${within}/${path}`)).status).toBe(200);
    expect((await owner.open(`${site}/${getThumbnailUrl("chat_work", blob)}`)).status).toBe(404);
  });

  it("[BIG-19] answers hostile files with nothing, and never as a page", async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const files: readonly (readonly [string, Uint8Array])[] = [
      ["image/svg+xml", Buffer.from(svg)],
      ["image/png", Buffer.from(svg)],
      ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff, 0xc0])],
      ["image/png", encodePng(60_000, 60_000, Buffer.alloc(10))],
    ];
    for (const [index, [type, bytes]] of files.entries()) {
      const path = getThumbnailUrl("chat_home", await attach(bytes, type, `hostile${index}`));
      for (let times = 0; times < 2; times += 1) {
        const { status, html, headers } = await owner.open(`${site}/${path}`);
        expect([type, status, html]).toEqual([type, 404, ""]);
        expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      }
    }
  });
});
