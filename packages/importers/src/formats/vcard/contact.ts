import type { JsonObject } from "@pdpp/contract/declaration";
import { deriveId } from "../../core/identity.ts";
import type { RecordItem } from "../../core/importer.ts";
import { type ContentLine, parseContentLines, splitValue, unescapeText } from "../../core/parsing/content-lines.ts";
import { cleanText } from "../../core/text/clean.ts";
import { formatInstant } from "../../core/time/times.ts";

/** Reads one contact; undefined if it has neither a name nor an address. */
export function readContact(bytes: Buffer, hasPhotos: boolean): RecordItem | undefined {
  const all = keepOutermost(parseContentLines(bytes));
  const findLine = (name: string): ContentLine | undefined =>
    all.find((line) => line.name === name && line.value.trim() !== "");
  const readValue = (name: string): string | null => getTextOr(unescapeText(findLine(name)?.value ?? ""));
  const readValues = (name: string): ContentLine[] =>
    all.filter((line) => line.name === name && line.value.trim() !== "");
  const [family, given] = splitValue(findLine("N")?.value ?? "", ";").map(getTextOr);
  const emails = readValues("EMAIL").map(({ value }) => cleanText(unescapeText(value).trim()));
  const phones = readValues("TEL").map(formatWithKind);
  const organization = getTextOr(
    splitValue(findLine("ORG")?.value ?? "", ";")
      .filter((part) => part.trim() !== "")
      .join(", "),
  );
  const name =
    readValue("FN") ??
    getTextOr([given, family].filter((part) => part !== null && part !== undefined).join(" ")) ??
    organization ??
    emails[0] ??
    null;
  if (name === null && phones.length === 0) return undefined;
  const uid = readValue("UID");
  const updated = parseRevision(findLine("REV")?.value);
  const photo = hasPhotos ? readPhoto(findLine("PHOTO")) : undefined;
  const data: JsonObject = {
    id: uid ?? deriveId("vcard", name, [...emails].sort()[0], [...phones].sort()[0]),
    display_name: name,
    given_name: given ?? null,
    family_name: family ?? null,
    nickname: readValue("NICKNAME"),
    organization,
    job_title: readValue("TITLE"),
    emails,
    phones,
    addresses: readValues("ADR")
      .map(({ value }) =>
        cleanText(
          splitValue(value, ";")
            .map((part) => part.trim())
            .filter((part) => part !== "")
            .join(", "),
        ),
      )
      .filter((each) => each !== ""),
    urls: readValues("URL").map(({ value }) => cleanText(unescapeText(value).trim())),
    birthday: parseBirthday(findLine("BDAY")),
    categories: readValues("CATEGORIES")
      .flatMap(({ value }) => splitValue(value, ","))
      .map((each) => cleanText(each.trim()))
      .filter((each) => each !== "")
      .sort(),
    note: readValue("NOTE"),
    updated_at: updated,
    photo: null,
    extra: collectExtras(all),
  };
  return {
    kind: "record",
    stream: "contacts",
    data,
    ...(updated === null ? {} : { changedAt: Date.parse(updated) }),
    ...(photo === undefined ? {} : { blob: { field: "photo", ...photo } }),
  };
}

/** A contact may contain another, such as an assistant's, which belongs to neither. */
function keepOutermost(all: readonly ContentLine[]): ContentLine[] {
  let depth = 0;
  return all.filter(({ name, value }) => {
    const isCard = value.trim().toUpperCase() === "VCARD";
    if (name === "BEGIN" && isCard) depth += 1;
    if (name === "END" && isCard) depth -= 1;
    return depth === 1 && name !== "BEGIN" && name !== "END";
  });
}

const getTextOr = (value: string | undefined): string | null => {
  const clean = cleanText(value ?? "").trim();
  return clean === "" ? null : clean;
};

/** `+49 30 1234 (cell)`: the kind matters if there are several numbers. */
function formatWithKind({ value, params }: ContentLine): string {
  const kinds = (params.get("TYPE") ?? [])
    .map((kind) => kind.toLowerCase())
    .filter((kind) => !/^(pref|voice|x-.*)$/.test(kind));
  const number = cleanText(unescapeText(value).replace(/^tel:/i, "").trim());
  return kinds.length === 0 ? number : `${number} (${[...new Set(kinds)].sort().join(", ")})`;
}

/** Apple writes a placeholder year for birthdays without one, and names it in a parameter. */
function parseBirthday(line: ContentLine | undefined): string | null {
  const written = getTextOr(unescapeText(line?.value ?? ""));
  const omitted = line?.params.get("X-APPLE-OMIT-YEAR")?.[0];
  const isOmitted = omitted !== undefined && omitted !== "" && written?.startsWith(omitted) === true;
  return isOmitted ? `--${written.slice(omitted.length).replace(/^-/, "")}` : written;
}

/** `2014-03-01T22:11:10Z` and `20140301T221110Z`, with a zone or without. */
function parseRevision(value: string | undefined): string | null {
  const found = /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2}):?(\d{2}))?(?:[.,]\d+)?(Z|[+-]\d{2}:?\d{2})?$/i.exec(
    value?.trim() ?? "",
  );
  if (found === null) return null;
  const [, year, month, day, hour = "00", minute = "00", second = "00", zone = "Z"] = found;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  return formatInstant(Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`));
}

/** An embedded photo; linked ones are not fetched. */
function readPhoto(
  line: ContentLine | undefined,
): { mimeType: string; bytes(): AsyncGenerator<Uint8Array> } | undefined {
  if (line === undefined) return undefined;
  const inline = /^data:(image\/[\w.+-]+);base64,(.*)$/is.exec(line.value);
  const isEncoded = /^(b|base64)$/i.test(line.params.get("ENCODING")?.[0] ?? "");
  if (inline === null && !isEncoded) return undefined;
  const bytes = Buffer.from(inline?.[2] ?? line.value, "base64");
  if (bytes.length === 0) return undefined;
  const kind = line.params
    .get("TYPE")
    ?.find((each) => /^[a-z]+$/i.test(each))
    ?.toLowerCase();
  return {
    mimeType:
      inline?.[1]?.toLowerCase() ?? (kind === undefined ? "image/jpeg" : `image/${kind === "jpg" ? "jpeg" : kind}`),
    async *bytes() {
      yield bytes;
    },
  };
}

const known = new Set([
  "VERSION",
  "PRODID",
  "FN",
  "N",
  "NICKNAME",
  "ORG",
  "TITLE",
  "EMAIL",
  "TEL",
  "ADR",
  "LABEL",
  "URL",
  "BDAY",
  "CATEGORIES",
  "NOTE",
  "REV",
  "UID",
  "PHOTO",
  "LOGO",
  "SOUND",
  "KEY",
  "AGENT",
]);

/** Other properties by name, without program-specific ids and binary data. */
function collectExtras(all: readonly ContentLine[]): JsonObject {
  const others = new Map<string, string[]>();
  for (const { name, value } of all) {
    if (known.has(name) || value.trim() === "" || value.length > 1000) continue;
    others.set(cleanText(name), [...(others.get(cleanText(name)) ?? []), cleanText(unescapeText(value))]);
  }
  return Object.fromEntries([...others].sort(([a], [b]) => (a < b ? -1 : 1)));
}
