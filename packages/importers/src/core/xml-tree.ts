import { SaxesParser } from "saxes";

/** One XML element with all that it holds. */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
  /** The text that stands directly in it. */
  readonly text: string;
}

interface Growing extends XmlNode {
  readonly children: Growing[];
  text: string;
}

const mostNodes = 2_000_000;
const deepest = 200;

/** The element that these bytes are. Throws, in words for people, where they are none. */
export function xmlTree(raw: Uint8Array | string): XmlNode {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  const path: Growing[] = [];
  let root: Growing | undefined;
  let nodes = 0;
  parser.on("error", (error) => {
    throw new Error(error.message.replace(/\s+/g, " ").slice(0, 200));
  });
  parser.on("opentag", ({ name, attributes }) => {
    nodes += 1;
    if (nodes > mostNodes || path.length > deepest) throw new Error("there is more in it than can be read");
    const node: Growing = { name: localName(name), attributes, children: [], text: "" };
    path.at(-1)?.children.push(node);
    root ??= node;
    path.push(node);
  });
  const say = (text: string): void => {
    const inner = path.at(-1);
    if (inner !== undefined) inner.text += text;
  };
  parser.on("text", say);
  parser.on("cdata", say);
  parser.on("closetag", () => void path.pop());
  const text = typeof raw === "string" ? raw : Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString("utf8");
  parser.write(text).close();
  if (root === undefined) throw new Error("there is no element in it");
  return root;
}

/** Without the prefix of a namespace: `gpxtpx:hr` is `hr`. */
const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

export const childOf = (node: XmlNode | undefined, name: string): XmlNode | undefined =>
  node?.children.find((child) => child.name === name);

export const childrenOf = (node: XmlNode | undefined, name: string): readonly XmlNode[] =>
  node?.children.filter((child) => child.name === name) ?? [];

/** The text of a child without the space around it, or null. */
export function textOf(node: XmlNode | undefined, name: string): string | null {
  const text = childOf(node, name)?.text.trim() ?? "";
  return text === "" ? null : text;
}
