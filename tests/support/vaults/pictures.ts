import { parseManifest } from "@pdpp/contract/manifest";
import { mailManifest } from "../../../packages/importers/src/formats/mail/manifest.ts";
import { photoManifest } from "../../../packages/importers/src/formats/photos/manifest.ts";
import { trackManifest } from "../../../packages/importers/src/formats/tracks/manifest.ts";
import { addConnection } from "../../../packages/server/src/owner/connections.ts";
import { createOwner } from "../../../packages/server/src/owner/owner.ts";
import { type Color, drawJpeg } from "../pictures/draw.ts";
import type { TestVault } from "./new-vault.ts";
import { now, putRecords } from "./sample.ts";

/** A vault with photos, pictures in mail, tracks and places, all made by a program. */

export async function putPicture(vault: TestVault, bytes: Uint8Array, mime_type: string) {
  async function* listAll() {
    yield bytes;
  }
  const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
  const { blob_id, size_bytes, sha256 } = await api.blobs.put({ mime_type }, listAll());
  return { blob_id, mime_type, size_bytes, sha256 };
}

export async function addPictureSources(vault: Pick<TestVault, "store">): Promise<void> {
  const connectors = [
    ["photos", "camera", photoManifest],
    ["mail-files", "mail", mailManifest],
    ["tracks", "watch", trackManifest],
  ] as const;
  for (const [connectorKey, id, manifest] of connectors) {
    await vault.store.register(parseManifest(manifest), now);
    const label = id.replace(/^./, (letter) => letter.toUpperCase());
    await addConnection(vault.store, 1, { connectorKey, id, label }, now);
  }
}

/** A sun over hills, different for each number. */
function drawScene(number: number, width = 400, height = 300): Promise<Buffer> {
  const [sky, land]: readonly Color[] = [
    [90 + ((number * 37) % 120), 120 + ((number * 23) % 110), 200],
    [60, 90 + ((number * 53) % 90), 60 + ((number * 29) % 60)],
  ];
  const sun = { x: width * (0.2 + ((number * 7) % 10) / 16), y: height * 0.35, radius: height / 8 };
  return drawJpeg(width, height, (x, y) => {
    if (Math.hypot(x - sun.x, y - sun.y) < sun.radius) return [253, 240, 196];
    return y > height * 0.65 + Math.sin((x + number * 40) / 50) * 20 ? land! : sky!;
  });
}

export const buildPhoto = (id: string, taken_at: string, blob_ref: object | null, more: object = {}): object => ({
  data: { id, name: `${id}.jpg`, taken_at, mime_type: "image/jpeg", blob_ref, ...more },
});

/** 20 photos in July, 3 in June, one at the same instant twice, and an unreadable one. */
export async function addPhotos(vault: TestVault): Promise<void> {
  const photos: object[] = [];
  for (let number = 0; number < 23; number += 1) {
    const day = number < 20 ? `2026-07-${String(1 + number).padStart(2, "0")}` : `2026-06-${number}`;
    const file = await putPicture(vault, await drawScene(number), "image/jpeg");
    photos.push(
      buildPhoto(`photo${number}`, `${day}T10:00:00Z`, file, {
        latitude: 47.39,
        longitude: -2.96,
        people: ["Ada", "Cem"],
        description: number === 3 ? "On the way to the lighthouse" : null,
        camera: "Pixel",
      }),
    );
  }
  const film = await putPicture(vault, Buffer.from("not a film"), "video/mp4");
  photos.push(buildPhoto("film", "2026-07-20T10:00:00Z", film, { name: "film.mp4", mime_type: "video/mp4" }));
  await putRecords(vault, "camera", "media", photos);
  const scan = await putPicture(vault, await drawScene(99), "image/jpeg");
  const pdf = await putPicture(vault, Buffer.from("%PDF-1.4 no pages"), "application/pdf");
  const build = (id: string, mime_type: string, blob_ref: object, text: string | null) => ({
    data: { id, message_id: "m", name: `${id} <b>`, mime_type, sent_at: "2026-05-03T08:00:00Z", text, blob_ref },
  });
  await putRecords(vault, "mail", "attachments", [
    build("scan", "image/jpeg", scan, null),
    build("offer", "application/pdf", pdf, "The offer for the roof: 4,200 EUR"),
  ]);
}

/**
 * Around an island with heights, a ferry to it with a gap, one without a line, one whose line is hostile, and a planned
 * one without a date.
 */
export async function addTracks(vault: TestVault): Promise<void> {
  const circle = Array.from({ length: 60 }, (_, n) => [
    47.34 + 0.0147 * Math.sin((n / 59) * 2 * Math.PI),
    -3.17 + 0.0294 * Math.cos((n / 59) * 2 * Math.PI),
  ]);
  const build = (id: string, started_at: string, more: object) => ({
    data: { id, name: id, kind: "track", started_at, distance_unit: "m", ...more },
  });
  await putRecords(vault, "watch", "activities", [
    build("Round the island", "2026-07-24T06:50:00Z", {
      ended_at: "2026-07-24T11:32:00Z",
      distance: 11_800,
      elapsed_seconds: 16_920,
      ascent_meters: 310,
      line: circle,
      line_heights: circle.map((_, n) => 5 + n),
      line_seconds: circle.map((_, n) => (n / 59) * 16_920),
      line_gaps: [],
    }),
    build("Ferry <b>", "2026-07-18T09:00:00Z", {
      ended_at: "2026-07-18T10:10:00Z",
      line: [
        [47.48, -3.12],
        [47.42, -3.13],
        [47.35, -3.15],
      ],
      line_gaps: [2],
    }),
    build("Only a start", "2026-06-02T09:00:00Z", { start_latitude: 47.3, start_longitude: -3.2, line: [] }),
    build("Nowhere", "2026-05-02T09:00:00Z", {
      line: [
        [1e308, 5],
        [91, 181],
        [-1e308, -1e308],
      ],
      distance: 1e300,
    }),
    {
      data: {
        id: "Planned",
        name: "Planned",
        kind: "route",
        started_at: null,
        distance_unit: "m",
        line: [
          [47.33, -3.2],
          [47.34, -3.21],
          [47.35, -3.2],
        ],
      },
    },
  ]);
}
