import { SaxesParser } from "saxes";

/** Receives elements as they open and close, with their direct text. */
interface XmlHandler {
  /** `path` holds the names from the root to the element, without prefixes. */
  open?(path: readonly string[], attributes: Readonly<Record<string, string>>): void;
  close(path: readonly string[], text: string): void;
}

const maxDepth = 200;
const maxTextChars = 65_536;

/** Streams an XML file of any size. Throws a readable error if it is malformed; events before the error remain valid. */
export async function readXml(chunks: AsyncIterable<Uint8Array>, reader: XmlHandler): Promise<void> {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  const path: string[] = [];
  const texts: string[] = [];
  parser.on("error", (error) => {
    throw new Error(error.message.replace(/\s+/g, " ").slice(0, 200));
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (path.length > maxDepth) throw new Error("elements are nested too deeply");
    path.push(name.slice(name.indexOf(":") + 1));
    texts.push("");
    reader.open?.(path, attributes);
  });
  const appendText = (text: string): void => {
    const last = texts.length - 1;
    if (last >= 0 && (texts[last]?.length ?? 0) < maxTextChars) texts[last] += text;
  };
  parser.on("text", appendText);
  parser.on("cdata", appendText);
  parser.on("closetag", () => {
    reader.close(path, texts.pop()?.trim() ?? "");
    path.pop();
  });
  const decoder = new TextDecoder("utf-8");
  for await (const chunk of chunks) parser.write(decoder.decode(chunk, { stream: true }));
  parser.write(decoder.decode()).close();
}
