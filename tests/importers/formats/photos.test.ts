import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { describe, expect, it } from "vitest";
import { detect } from "#importers/core/plan";
import { formats } from "#importers/formats/formats";
import { selectRecords } from "../fixtures/fixture-files.ts";
import { encodeHeic, encodeJpeg } from "../generators/activity/photos.ts";
import type { Files } from "../generators/generator.ts";
import { answers, createMemoryTree, importTree, listRecords, openOwner, sumReports } from "../support.ts";

async function readPhotos(files: Files) {
  const found = await detect(createMemoryTree(files, 0), formats);
  const claims = found.claims.filter(({ importer }) => importer.key === "photos");
  const items = (
    await Promise.all(claims.map(({ importer, claim }) => Array.fromAsync(importer.read(claim, answers))))
  ).flat();
  return { photos: selectRecords(items, "media"), left: found.unrecognized.map(({ path }) => path) };
}

const buildSidecar = (title: string, more: object = {}): string =>
  JSON.stringify({ title, photoTakenTime: { timestamp: "1700000000" }, ...more });

describe("[IMP-11] photos", () => {
  it("the camera's own zone comes first, then what Google knows, then the zone that was named", async () => {
    const { photos } = await readPhotos({
      "a.jpg": encodeJpeg(0, true),
      "b.jpg": encodeJpeg(1, false),
      "b.jpg.supplemental-metadata.json": buildSidecar("b.jpg"),
      "c.jpg": encodeJpeg(2, false),
    });
    expect(photos).toMatchObject([
      {
        name: "a.jpg",
        taken_at: "2024-03-01T10:00:00+01:00",
        time_source: "camera",
        time_zone_assumed: null,
        camera: "Canon",
      },
      {
        name: "b.jpg",
        taken_at: "2023-11-14T22:13:20.000Z",
        time_source: "sidecar",
        local_time: "2024-03-02T10:00:01",
      },
      {
        name: "c.jpg",
        taken_at: "2024-03-03T10:00:02+01:00",
        time_source: "camera",
        time_zone_assumed: "Europe/Berlin",
      },
    ]);
  });

  it("reads the camera data of HEIC and AVIF files", async () => {
    const { photos } = await readPhotos({ "a.heic": encodeHeic(0), "b.avif": encodeHeic(1, "avif") });
    expect(photos).toMatchObject([
      { taken_at: "2024-03-01T10:00:00+01:00", camera: "Canon", mime_type: "image/heic" },
      { taken_at: "2024-03-02T10:00:01+01:00", camera: "Canon" },
    ]);
  });

  it("imports a photo with broken camera data without it", async () => {
    const endless = encodeHeic(0);
    endless.write("free", endless.indexOf("meta"), "latin1");
    endless.fill(0, 24, 28);
    const { photos } = await readPhotos({ "a.heic": endless, "b.jpg": encodeJpeg(0, true).subarray(0, 60) });
    expect(photos.map(({ taken_at, camera }) => [taken_at, camera])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it("asks for the time zone of the camera, and assumes UTC without an answer", async () => {
    const { claims } = await detect(createMemoryTree({ "a.jpg": encodeJpeg(0, false) }, 0), formats);
    expect(claims.map(({ claim }) => claim.questions)).toMatchObject([[{ key: "time_zone", defaultAnswer: "UTC" }]]);
  });

  it("sidecars are found by names that were cut off, counted and shared", async () => {
    const long = "a-very-long-name-that-somebody-gave-to-a-picture-of-the-sea.jpg";
    const { photos } = await readPhotos({
      [long]: "1",
      [`${long.slice(0, 46)}.json`]: buildSidecar("long"),
      "IMG(2).jpg": "2",
      "IMG.jpg": "3",
      "IMG.jpg.supplemental-metadata(2).json": buildSidecar("second"),
      "IMG.jpg.suppl.json": buildSidecar("first"),
      "IMG-edited.jpg": "4",
      "LIVE.MP4": "5",
      "LIVE.HEIC.json": buildSidecar("live"),
    });
    expect(photos.map(({ name }) => name).sort()).toEqual(["first", "first", "live", "long", "second"]);
  });

  it("sidecars are found of names with a number in brackets, and of what was edited in any language", async () => {
    const { photos } = await readPhotos({
      "image (1).jpg": "1",
      "image (1).jpg.supplemental-metadata.json": buildSidecar("downloaded twice"),
      "image.jpg": "2",
      "image.jpg.supplemental-metadata.json": buildSidecar("downloaded once"),
      "IMG_1.jpg": "3",
      "IMG_1.jpg.supplemental-metadata.json": buildSidecar("first"),
      "IMG_1-bearbeitet.jpg": "4",
      "IMG_1-modifié.jpg": "5",
      "IMG_1(1).jpg": "6",
      "IMG_1.jpg.supplemental-metadata(1).json": buildSidecar("second"),
      "IMG_1-bearbeitet(1).jpg": "7",
      "IMG_2.HEIC": "8",
      "IMG_2.HEIC.supplemental-metadata.json": buildSidecar("third"),
      "IMG_2-bearbeitet.jpg": "9",
    });
    expect(photos.map(({ name }) => name).sort()).toEqual(
      ["downloaded once", "downloaded twice", "first", "first", "first", "second", "second", "third", "third"].sort(),
    );
  });

  it("films of old phones, films of Pixel pictures, and raw pictures come in", async () => {
    const names = [
      "VID_1.3gp",
      "clip.m4v",
      "party.mpg",
      "trip.mkv",
      "DSC_1.DNG",
      "new.heif",
      "PXL_1.MP.jpg",
      "PXL_1.MP",
    ];
    const { photos, left } = await readPhotos(
      Object.fromEntries(
        names.flatMap((name) => [
          [name, name],
          ...(name === "PXL_1.MP" ? [] : [[`${name}.supplemental-metadata.json`, buildSidecar(name)]]),
        ]),
      ),
    );
    expect(left).toEqual([]);
    expect(photos.map(({ mime_type }) => String(mime_type)).filter((type) => !/^(image|video)\//.test(type))).toEqual(
      [],
    );
    expect(photos.map(({ time_source }) => time_source)).toEqual(names.map(() => "sidecar"));
  });

  it("the folders of years are no albums in any language; what tells of an album is understood", async () => {
    const buildFiles = (folder: string) => ({
      [`Google Fotos/${folder}/a.jpg`]: folder,
      [`Google Fotos/${folder}/a.jpg.supplemental-metadata.json`]: buildSidecar("a.jpg"),
    });
    const { photos, left } = await readPhotos({
      ...buildFiles("Fotos von 2023"),
      ...buildFiles("Photos de 2022"),
      ...buildFiles("2021 年の写真"),
      ...buildFiles("Sommer 2023"),
      "Google Fotos/Sommer 2023/Metadaten.json": JSON.stringify({ title: "Sommer 2023", access: "protected" }),
      ...buildFiles("Garten"),
    });
    expect(photos.map(({ albums }) => albums).filter((albums) => String(albums) !== "")).toEqual([
      ["Garten"],
      ["Sommer 2023"],
    ]);
    expect(left).toEqual([]);
  });

  it("what is in Google's bin or archive says so", async () => {
    const { photos } = await readPhotos({
      "a.jpg": "1",
      "a.jpg.supplemental-metadata.json": buildSidecar("a.jpg", { trashed: true }),
      "b.jpg": "2",
      "b.jpg.supplemental-metadata.json": buildSidecar("b.jpg", { archived: true }),
    });
    expect(photos.map(({ extra }) => extra)).toEqual([{ is_trashed: true }, { is_archived: true }]);
  });

  it("copies in albums are one photo, and importing again changes nothing", async () => {
    const files = {
      "Photos from 2024/a.jpg": encodeJpeg(0, true),
      "Summer/a.jpg": encodeJpeg(0, true),
      "Family/a.jpg": encodeJpeg(0, true),
    };
    const vault = await createVault("sqlite");
    try {
      const owner = await openOwner(vault, () => Date.UTC(2026, 0, 1));
      expect(sumReports(await importTree(owner, createMemoryTree(files, 0)))).toMatchObject({ read: 3, stored: 1 });
      expect((await listRecords(owner)).map(({ data }) => data.albums)).toEqual([["Family", "Summer"]]);
      expect(sumReports(await importTree(owner, createMemoryTree(files, 1)))).toMatchObject({
        stored: 0,
        changed: 0,
        unchanged: 3,
      });
    } finally {
      await vault.drop();
    }
  });

  it("beside other things only what a camera took is a photo", async () => {
    const { photos, left } = await readPhotos({
      "letter.docx": "x",
      "logo.png": "no camera",
      "IMG_1.jpg": encodeJpeg(1, true),
    });
    expect(photos.map(({ name }) => name)).toEqual(["IMG_1.jpg"]);
    expect(left).toEqual(["letter.docx", "logo.png"]);
  });
});
