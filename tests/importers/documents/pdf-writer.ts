import { deflateSync } from "node:zlib";

/** PDF files as honest and as hostile programs write them: one page for each text. */
export interface PdfOptions {
  /** Encrypted with an unknown password. */
  readonly encrypted?: boolean;
  /** Drawing operators instead of text. */
  readonly drawing?: Uint8Array;
}

export function writePdf(pages: readonly string[], { encrypted = false, drawing }: PdfOptions = {}): Buffer {
  const objects: (string | Buffer)[] = [];
  const add = (body: string | Buffer): number => objects.push(body);
  const kids = pages.map((_, n) => `${4 + 2 * n} 0 R`).join(" ");
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  for (const text of pages) {
    const contents = objects.length + 2;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents ${contents} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
    const lines = text.split("\n").map((line) => `(${line}) Tj T*`);
    const drawn = deflateSync(drawing ?? Buffer.from(`BT /F1 12 Tf 14 TL 20 250 Td ${lines.join(" ")} ET`, "latin1"));
    add(writeStream(drawn, "/Filter /FlateDecode"));
  }
  const secret = "<".padEnd(65, "a1").concat(">");
  const locked = encrypted ? add(`<< /Filter /Standard /V 1 /R 2 /O ${secret} /U ${secret} /P -4 >>`) : undefined;
  return writeDocument(objects, locked === undefined ? "" : ` /Encrypt ${locked} 0 R /ID [<00> <00>]`);
}

export const writeStream = (bytes: Uint8Array, dictionary = ""): Buffer =>
  Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length} ${dictionary} >>\nstream\n`),
    bytes,
    Buffer.from("\nendstream"),
  ]);

/** The objects of a file, numbered from 1; the first is its catalog. */
export function writeDocument(objects: readonly (string | Buffer)[], trailer = ""): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n%\xe2\xe3\n", "latin1")];
  let end = parts[0]?.length ?? 0;
  const places = objects.map((body, n) => {
    const at = end;
    const object = Buffer.concat([Buffer.from(`${n + 1} 0 obj\n`), Buffer.from(body), Buffer.from("\nendobj\n")]);
    parts.push(object);
    end += object.length;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}trailer\n` +
        `<< /Size ${objects.length + 1} /Root 1 0 R${trailer} >>\nstartxref\n${end}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

/** One page that a document names many times. */
export function writeManyPages(count: number): Buffer<ArrayBuffer> {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${"4 0 R ".repeat(count)}] /Count ${count} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
    "<< /Length 44 >>\nstream\nBT /F1 12 Tf 20 250 Td (Page of many) Tj ET    \nendstream",
  ];
  return writeDocument(objects);
}
