/** A one-page PDF. Each line is `[x, y, size, text]`, in points from the lower left corner. */
export type PdfLine = readonly [x: number, y: number, size: number, text: string];

// WinAnsi is what the built-in fonts support; the euro sign is the only character outside Latin-1 that is needed.
function escapeLiteral(text: string): string {
  return text.replace(/[\\()]/g, (character) => `\\${character}`).replaceAll("€", "\\200");
}

export function buildPdf(title: string, lines: readonly PdfLine[]): Uint8Array {
  const content = lines
    .map(([x, y, size, text]) => `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escapeLiteral(text)}) Tj ET`)
    .join("\n");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Title (${escapeLiteral(title)}) /Producer (pdpp demo vault) >>`,
  ];
  let file = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const offset of offsets) file += `${String(offset).padStart(10, "0")} 00000 n \n`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 6 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(file, "latin1"));
}
