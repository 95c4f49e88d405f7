import { SaxesParser } from "saxes";

export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
  /** Its direct text. */
  readonly text: string;
}

interface MutableNode extends XmlNode {
  readonly children: MutableNode[];
  text: string;
}

const maxNodes = 2_000_000;
const maxDepth = 200;

/** Parses one element. Throws a readable error if it is malformed. */
export function parseXml(raw: Uint8Array | string): XmlNode {
  const text = typeof raw === "string" ? raw : Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString("utf8");
  const reader = idleReader ?? new TreeReader();
  // A parser that threw is left in a broken state and is not reused.
  idleReader = undefined;
  const root = reader.read(text);
  idleReader = reader;
  return root;
}

/** Reused, because creating a parser takes as long as parsing a small element, and files have millions of them. */
let idleReader: TreeReader | undefined;

class TreeReader {
  readonly #parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  #path: MutableNode[] = [];
  #root: MutableNode | undefined;
  #nodes = 0;

  constructor() {
    this.#parser.on("error", (error) => {
      throw new Error(error.message.replace(/\s+/g, " ").slice(0, 200));
    });
    this.#parser.on("opentag", ({ name, attributes }) => {
      this.#nodes += 1;
      if (this.#nodes > maxNodes || this.#path.length > maxDepth)
        throw new Error("it has too many elements, or they are nested too deeply");
      const node: MutableNode = { name: stripPrefix(name), attributes, children: [], text: "" };
      this.#path.at(-1)?.children.push(node);
      this.#root ??= node;
      this.#path.push(node);
    });
    const appendText = (text: string): void => {
      const inner = this.#path.at(-1);
      if (inner !== undefined) inner.text += text;
    };
    this.#parser.on("text", appendText);
    this.#parser.on("cdata", appendText);
    this.#parser.on("closetag", () => void this.#path.pop());
  }

  read(text: string): XmlNode {
    this.#path = [];
    this.#root = undefined;
    this.#nodes = 0;
    this.#parser.write(text).close();
    if (this.#root === undefined) throw new Error("no XML element found");
    return this.#root;
  }
}

/** Removes a namespace prefix: `gpxtpx:hr` becomes `hr`. */
const stripPrefix = (name: string): string => name.slice(name.indexOf(":") + 1);

export const findChild = (node: XmlNode | undefined, name: string): XmlNode | undefined =>
  node?.children.find((child) => child.name === name);

export const findChildren = (node: XmlNode | undefined, name: string): readonly XmlNode[] =>
  node?.children.filter((child) => child.name === name) ?? [];

/** Trimmed text of a child, or null if missing or empty. */
export function getChildText(node: XmlNode | undefined, name: string): string | null {
  const text = findChild(node, name)?.text.trim() ?? "";
  return text === "" ? null : text;
}
