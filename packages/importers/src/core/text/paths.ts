/** The folder with a trailing slash; empty at the top. */
export const getFolder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

export const getFileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** `mp` is the film of a motion photo of a Pixel phone. */
// biome-ignore format: a compact table
const types: Readonly<Record<string, string>> = {
  "3g2": "video/3gpp2", "3gp": "video/3gpp", aac: "audio/aac", amr: "audio/amr", arw: "image/x-sony-arw",
  avif: "image/avif", avi: "video/x-msvideo", bmp: "image/bmp", cr2: "image/x-canon-cr2", csv: "text/csv",
  dng: "image/x-adobe-dng", doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", eml: "message/rfc822",
  gif: "image/gif", heic: "image/heic", heif: "image/heif", htm: "text/html", html: "text/html", ics: "text/calendar",
  jpeg: "image/jpeg", jpg: "image/jpeg", json: "application/json", m4a: "audio/mp4", m4v: "video/x-m4v",
  md: "text/markdown", mkv: "video/x-matroska", mov: "video/quicktime", mp: "video/mp4", mp3: "audio/mpeg",
  mp4: "video/mp4", mpeg: "video/mpeg", mpg: "video/mpeg", nef: "image/x-nikon-nef", ogg: "audio/ogg",
  opus: "audio/ogg", pdf: "application/pdf", png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation", svg: "image/svg+xml",
  tif: "image/tiff", tiff: "image/tiff", txt: "text/plain", vcf: "text/vcard", wav: "audio/wav", webm: "video/webm",
  webp: "image/webp", wmv: "video/x-ms-wmv", xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", xml: "application/xml",
  zip: "application/zip",
};

/** By file extension: exports say nothing else. */
export function guessMimeType(name: string): string {
  const ending = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return types[ending] ?? "application/octet-stream";
}

/** Files that no importer parses. */
export const isMedia = (path: string): boolean => /^(audio|image|video)\//.test(guessMimeType(path));

/** Files of operating systems and of Takeout itself, which are never worth reporting. */
export const isSystemFile = (path: string): boolean =>
  /(^|\/)__MACOSX\//.test(path) ||
  /^(archive_browser\.html|\.DS_Store|Thumbs\.db|desktop\.ini|\._.*)$/i.test(getFileName(path));
