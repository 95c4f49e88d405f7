import { isolateLabel } from "@pdpp/evidence/text/label";
import { getFileUrl, getThumbnailUrl } from "../frame/addresses.ts";
import type { Html } from "../frame/frame.tsx";
import { canShow, formatBytes, pictureTypes, renderName } from "../frame/render/values.tsx";
import type { AttachedFile } from "./attached-files.ts";

/** Files as chips with their kind and size, and pictures inline. */

export const isPicture = ({ blob, mediaType }: AttachedFile): boolean =>
  blob !== undefined && pictureTypes.has(mediaType);

/** Many programs send a PDF as bytes of no type. */
export const isPdf = ({ blob, mediaType, name }: AttachedFile): boolean =>
  blob !== undefined &&
  (/^application\/(?:x-)?pdf$/.test(mediaType) ||
    (/^(?:application\/octet-stream)?$/.test(mediaType) && /\.pdf$/i.test(name)));

export const canOpen = (file: AttachedFile): boolean =>
  isPdf(file) || (file.blob !== undefined && canShow(file.mediaType));

export function renderPicture(file: AttachedFile, className: string): Html {
  const { blob, name } = file;
  if (blob === undefined) return renderFileChip(file);
  const href = getFileUrl(blob.connection, blob.id, "1");
  return (
    <a class={className} href={href}>
      <img
        src={getThumbnailUrl(blob.connection, blob.id)}
        alt={`Picture: ${isolateLabel(name)}`}
        loading="lazy"
        decoding="async"
      />
    </a>
  );
}

export function renderFileChip(file: AttachedFile): Html {
  const { name, blob, sizeBytes, mediaType } = file;
  const facts = [formatKind(name, mediaType), sizeBytes === undefined ? "" : formatBytes(sizeBytes)].filter(
    (fact) => fact !== "",
  );
  const inner = (
    <>
      <svg class="clip" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M13.5 7.5 8 13a3.2 3.2 0 0 1-4.6-4.6l5.8-5.8a2.2 2.2 0 0 1 3 3L6.6 11.3a1.1 1.1 0 0 1-1.5-1.5l5-5" />
      </svg>
      <span class="name">{renderName(name)}</span>
      {facts.length > 0 && <span class="soft">{facts.join(", ")}</span>}
    </>
  );
  if (blob === undefined)
    return (
      <span class="chip">
        {inner} <span class="soft">not in the vault</span>
      </span>
    );
  return canOpen(file) ? (
    <a class="chip" href={getFileUrl(blob.connection, blob.id, "1")}>
      {inner}
    </a>
  ) : (
    <a class="chip" href={getFileUrl(blob.connection, blob.id)} download>
      {inner}
    </a>
  );
}

const kinds: Readonly<Record<string, string>> = { image: "Picture", audio: "Audio", video: "Video", text: "Text" };

/** "PDF" or "Picture", from the media type or else the end of the name. */
export function formatKind(name: string, mediaType: string): string {
  if (mediaType === "application/pdf") return "PDF";
  const [main = ""] = mediaType.split("/");
  const ending = /\.(\w{1,5})$/.exec(name)?.[1]?.toUpperCase() ?? "";
  return kinds[main] ?? ending;
}
