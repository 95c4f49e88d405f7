import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import { detectImageType } from "../../explore/files.ts";
import type { PictureBlob } from "../../frame/session.ts";
import type { AttachedFile } from "../attached-files.ts";

/** Attached pictures that the HTML of a mail shows by their content id. The frame loads nothing, so they are embedded in it. */

export type LoadThumbnail = (blob: PictureBlob) => Promise<Uint8Array | undefined>;

const maxPictures = 20;
/** Larger pictures are replaced by their thumbnails. */
const maxOriginalBytes = 400_000;
/** Of the `data:` addresses in one mail. */
const maxTotalChars = 4_000_000;

/** The file behind each content id that the reader may read. */
export function matchPictures(
  contentIds: readonly string[],
  files: readonly AttachedFile[],
): ReadonlyMap<string, AttachedFile> {
  const readable = files.filter(({ blob }) => blob !== undefined);
  const matches = [...new Set(contentIds)].slice(0, maxPictures).flatMap((id): [string, AttachedFile][] => {
    const file = readable.find(({ contentId }) => contentId === id) ?? findByName(readable, id);
    return file === undefined ? [] : [[id, file]];
  });
  return new Map(matches);
}

/** Mails imported before content ids were kept: Outlook writes the name into the id, as in `image001.png@01DC5A7E.3F0B2A10`. */
function findByName(files: readonly AttachedFile[], id: string): AttachedFile | undefined {
  const [wanted = ""] = id.split("@");
  const [file, ...others] = files.filter(({ name, contentId }) => contentId === undefined && name === wanted);
  return others.length === 0 ? file : undefined;
}

/** As `data:` addresses. A picture that the text shows several times counts each time. */
export async function loadInlinePictures(
  reader: ReadApi,
  loadThumbnail: LoadThumbnail,
  contentIds: readonly string[],
  files: readonly AttachedFile[],
): Promise<ReadonlyMap<string, string>> {
  const loaded = new Map<string, string>();
  let left = maxTotalChars;
  for (const [id, file] of matchPictures(contentIds, files)) {
    const address = await loadPicture(reader, loadThumbnail, file);
    const times = contentIds.filter((each) => each === id).length;
    if (address === undefined || address.length * times > left) continue;
    left -= address.length * times;
    loaded.set(id, address);
  }
  return loaded;
}

async function loadPicture(
  reader: ReadApi,
  loadThumbnail: LoadThumbnail,
  { blob }: AttachedFile,
): Promise<string | undefined> {
  if (blob === undefined) return undefined;
  const { id, connection } = blob;
  try {
    const { sizeBytes, bytes } = await reader.readBlob({ blob_id: id, connection_id: connection });
    if (sizeBytes > maxOriginalBytes) return encode("image/jpeg", await loadThumbnail({ id, sizeBytes, bytes }));
    const original = new Uint8Array(await new Response(bytes).arrayBuffer());
    const type = detectImageType(original);
    if (type !== undefined) return encode(type, original);
    return encode("image/jpeg", await loadThumbnail({ id, sizeBytes, bytes: new Blob([original]).stream() }));
  } catch (error) {
    // An older backup may lack the file, or too many pictures are being prepared.
    if (error instanceof PdppError) return undefined;
    throw error;
  }
}

const encode = (type: string, bytes: Uint8Array | undefined): string | undefined =>
  bytes && `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
