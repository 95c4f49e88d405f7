import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { addPhotos, addPictureSources, buildPhoto, putPicture } from "@pdpp/test-support/vaults/pictures";
import { createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { stage } from "../../oauth/agent.ts";

describe.each(surfaceEngines)("photos, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    await addPictureSources(vault);
    await addPhotos(vault);
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());

  /** Counting may take longer than the page waits. */
  const openCounted = async (url: string, person = owner): Promise<VisitedPage> => {
    for (;;) {
      const page = await person.open(url);
      if (!page.html.includes("data-counting")) return page;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const listTiles = ({ html }: VisitedPage): string[] =>
    [...html.matchAll(/class="tile-name"><bdi>([^<]+)/g)].map(([, name = ""]) => name);

  it("[CSL-123] shows pictures of all sources by month, newest first, with counts", async () => {
    const page = await openCounted(`${site}/photos`);
    expect(page.html.match(/<h2>[^<]+/g)).toEqual(["<h2>July 2026 ", "<h2>June 2026 ", "<h2>May 2026 "]);
    expect(page.html).toContain("25 pictures from 2 sources, May 2026 to July 2026");
    const tiles = listTiles(page);
    expect(tiles.slice(0, 2)).toEqual(["photo19.jpg", "film.mp4"]);
    expect(tiles).toContain("scan &lt;b&gt;");
    expect(tiles.join()).not.toContain("offer");
    expect(page.html).toContain("+ 6<span");
    expect(page.html).toContain('<span class="tile-kind" aria-hidden="true">MP4</span>');
    // Only files with a thumbnail have an image.
    expect(page.html.match(/<img src="thumbnail\?/g)).toHaveLength(tiles.length - 1);
  });

  it("[CSL-123] opens a month, filters by source, and jumps to a month", async () => {
    const page = await openCounted(`${site}/photos`);
    const month = await owner.open(findLink(page, "+ 6"));
    expect(listTiles(month)).toHaveLength(21);
    const mail = await owner.open(findLink(page, "Mail 1"));
    expect(listTiles(mail)).toEqual(["scan &lt;b&gt;"]);
    const june = await owner.open(findLink(page, "Jun 2026"));
    expect(listTiles(june)[0]).toBe("photo22.jpg");
    const stream = await owner.open(`${site}/stream?source=camera&stream=media`);
    expect(stream.html).toContain('href="photos?source=camera&amp;stream=media"');
    const own = await openCounted(`${site}/photos?source=camera&stream=media`);
    expect(listTiles(own)).not.toContain("scan &lt;b&gt;");
  });

  it("[CSL-123] pages through a month with many pictures, each once", async () => {
    const file = await putPicture(vault, Buffer.from("x"), "image/heic");
    const records = Array.from({ length: 230 }, (_, n) =>
      buildPhoto(`many${n}`, new Date(Date.UTC(2025, 2, 10, 0, Math.floor(n / 5))).toISOString(), file),
    );
    await putRecords(vault, "camera", "media", records);
    const seen: string[] = [];
    let page = await owner.open(`${site}/photos?month=2025-03`);
    for (;;) {
      seen.push(...listTiles(page));
      if (!page.html.includes('rel="next"')) break;
      page = await owner.open(findLink(page, "Earlier"));
    }
    expect(seen).toHaveLength(230);
    expect(new Set(seen).size).toBe(230);
  });

  it("[CSL-125] shows pictures without a date at the end, in pages, and moves between them", async () => {
    const file = await putPicture(vault, Buffer.from("y"), "image/heic");
    const records = Array.from({ length: 130 }, (_, n) => ({
      data: { id: `undated${n}`, name: `undated${n}.heic`, taken_at: null, mime_type: "image/heic", blob_ref: file },
    }));
    // A new console, because counts may be a minute old.
    const openAnew = async (count: number) => {
      await putRecords(vault, "camera", "media", records.slice(0, count));
      return signInOwner(stage(vault));
    };
    const last = await openCounted(`${site}/photos?source=camera&at=2025-03`, await openAnew(3));
    expect(last.html).toMatch(/<h2>No date <span class="soft">3</);
    expect(listTiles(last).filter((name) => name.startsWith("undated"))).toHaveLength(3);
    expect(last.html).toContain(", 3 without a date");
    const other = await openAnew(130);
    expect((await openCounted(`${site}/photos?source=camera`, other)).html).toContain("No date</a>");
    const many = await openCounted(`${site}/photos?source=camera&at=2025-03`, other);
    expect(many.html).toContain("+ 115<span");
    const first = await other.open(findLink(many, "No date"));
    expect(listTiles(first)).toHaveLength(96);
    const second = await other.open(findLink(first, "More"));
    const seen = new Set([...listTiles(first), ...listTiles(second)]);
    expect([seen.size, second.html.includes('rel="next"')]).toEqual([130, false]);
    const end = listTiles(first).at(-1) ?? "";
    const photo = await other.open(findLink(first, end));
    expect(photo.html).toContain("No date</span>");
    const next = await other.open(findLink(photo, "Next"));
    expect(next.html).toContain(`<h1 class="photo-title"><bdi>${listTiles(second)[0]}`);
    const start = await other.open(findLink(second, listTiles(second)[0] ?? ""));
    expect((await other.open(findLink(start, "Previous"))).html).toContain(`<h1 class="photo-title"><bdi>${end}`);
    // Moving on keeps to the page that has the tile.
    expect(/<p class="back"><a href="([^"#]+)/.exec(next.html)?.[1]).toContain("month=none&amp;page=2");
    expect((await other.open(findLink(next, "Next"))).html).toContain(`<bdi>${listTiles(second)[1]}`);
    const back = /<p class="back"><a href="([^"]+)"/.exec(photo.html)?.[1] ?? "";
    expect(first.html).toContain(`id="${back.split("#")[1]}"`);
  });

  it("[CSL-124] shows one picture with its facts and neighbours, and leads back to its tile", async () => {
    const grid = await openCounted(`${site}/photos?at=2026-07`);
    const photo = await owner.open(findLink(grid, "photo19.jpg"));
    expect(photo.html).toContain('<img src="file?connection=camera&amp;blob=');
    expect(photo.html).toMatch(/Monday, 20 July 2026|20 July 2026/);
    for (const fact of ["47.39° N, 2.96° W", "Ada, Cem", "Pixel", "JPEG, ", "Technical details"])
      expect(photo.html).toContain(fact);
    const back = /<p class="back"><a href="([^"]+)"/.exec(photo.html)?.[1] ?? "";
    expect(grid.html).toContain(`id="${back.split("#")[1]}"`);
    expect(new URL(back, photo.url).search).toBe("?at=2026-07");
    // The film was taken at the same instant.
    const seen = [photo.url];
    let page = photo;
    while (page.html.includes('rel="next"')) {
      page = await owner.open(findLink(page, "Older"));
      seen.push(page.url);
      if (seen.length > 40) break;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(24);
    const film = await owner.open(findLink(photo, "Older"));
    expect(film.html).toContain("This kind of file can&#39;t be shown here");
    expect(new URL(findLink(film, "Newer")).searchParams.get("id")).toBe("camera/media:photo19");
  });

  it("[CSL-124] leads back to a grid that has the tile, however far the owner moved on", async () => {
    const getBack = (page: VisitedPage) =>
      (/<p class="back"><a href="([^"]+)"/.exec(page.html)?.[1] ?? "").replaceAll("&amp;", "&");
    const grid = await openCounted(`${site}/photos`);
    let page = await owner.open(findLink(grid, "photo6.jpg"));
    expect(getBack(page)).toMatch(/^photos#/);
    page = await owner.open(findLink(page, "Older"));
    expect(getBack(page)).toMatch(/^photos\?month=2026-07#/);
    while (getBack(page).includes("2026-07")) page = await owner.open(findLink(page, "Older"));
    expect(getBack(page)).toMatch(/^photos\?at=2026-06#/);
    const deep = await owner.open(`${site}/photo?id=${encodeURIComponent("camera/media:many7")}&month=2025-03`);
    const found = await owner.open(new URL(getBack(deep), deep.url).href);
    expect(listTiles(found)).toContain("many7.jpg");
  });

  it("[CSL-123] [CSL-124] shows only what a grant includes", async () => {
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const issue = async (fields: string[]) => {
      const streams = [{ name: "media", connection_ids: ["camera"], fields }];
      const sources = [{ connector_key: "photos", streams }];
      return (await api.grants.issue({ client: { name: "Reader" }, sources })).grants[0]?.grant_id ?? "";
    };
    const within = await issue(["id", "name", "taken_at", "mime_type", "blob_ref"]);
    const page = await openCounted(`${site}/as/${within}/photos`);
    expect(listTiles(page)).toContain("photo22.jpg");
    expect(page.html).not.toContain("scan");
    const photo = await owner.open(findLink(page, "photo19.jpg"));
    expect(photo.url).toContain(`/as/${within}/photo?`);
    expect(photo.html).not.toMatch(/47\.39|Ada, Cem|Pixel/);
    const without = await issue(["id", "name", "taken_at"]);
    expect((await owner.open(`${site}/as/${without}/photos`)).html).toContain("No pictures yet.");
  });
});
