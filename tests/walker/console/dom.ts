import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "@pdpp/test-support/repository/requirements";
import {
  type DomNode,
  type Element,
  findElements,
  getAttribute,
  isWithin,
  walkNodes,
} from "@pdpp/test-support/web/dom";
import { parseSync, Visitor } from "oxc-parser";

/** Checks that pages contain only elements from the console's own pages. */

export interface Vocabulary {
  readonly elements: ReadonlySet<string>;
  readonly attributes: ReadonlySet<string>;
}

/** The elements and attributes in the pages' JSX, read from their sources. */
export function collectVocabulary(): Vocabulary {
  const elements = new Set<string>();
  const attributes = new Set<string>();
  const folder = join(repository, "packages/console/src");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".tsx")) continue;
    const { program } = parseSync(name, readFileSync(join(folder, name), "utf8"));
    new Visitor({
      JSXOpeningElement({ name: element }) {
        if (element.type === "JSXIdentifier") elements.add(element.name);
      },
      JSXAttribute({ name: attribute }) {
        if (attribute.type === "JSXIdentifier") attributes.add(attribute.name.toLowerCase());
      },
    }).visit(program);
  }
  return { elements, attributes };
}

const neverElements = ["frame", "object", "embed", "style", "base", "portal", "applet", "math", "template"];
const metas = ["charset", "viewport", "color-scheme"];

/** Attributes that run code or lead elsewhere. */
export function findActionProblems(document: DomNode, url: string): string[] {
  const { origin } = new URL(url);
  return findElements(document).flatMap((element) => {
    const at = (name: string): string | undefined => getAttribute(element, name);
    const said = `${element.tagName} ${element.attrs.map(({ name, value }) => `${name}=${value.slice(0, 80)}`).join(" ")}`;
    const isBad = [
      neverElements.includes(element.tagName),
      // A formatted mail is shown without scripts, forms or its own origin.
      element.tagName === "iframe" && (at("sandbox") !== "" || !at("src")?.startsWith("mail/html?")),
      element.tagName === "script" && !/^\/assets\/[\w.-]+$/.test(at("src") ?? ""),
      element.tagName === "meta" && !metas.includes(at("name") ?? (at("charset") === "utf-8" ? "charset" : "")),
      element.tagName === "link" && !/^\/(?:assets\/[\w.-]+|icon\.svg)$/.test(at("href") ?? ""),
      element.attrs.some(({ name }) => /^on|^style$|^srcdoc$|^formaction$|^http-equiv$|^ping$|^target$/.test(name)),
      ["href", "src", "action"].some((name) => {
        const value = at(name);
        return value !== undefined && new URL(value, url).origin !== origin;
      }),
    ];
    return isBad.includes(true) ? [said] : [];
  });
}

/** Elements and attributes that no page has. */
export function findUnknownElements(document: DomNode, { elements, attributes }: Vocabulary): string[] {
  return findElements(document).flatMap(({ tagName, attrs }) => [
    ...(elements.has(tagName) ? [] : [`<${tagName}>`]),
    ...attrs.filter(({ name }) => !attributes.has(name.toLowerCase())).map(({ name }) => `<${tagName} ${name}>`),
  ]);
}

/** Elements that isolate text direction. A title, an option and a text in a drawing have no neighbours. */
const isolates = (element: Element): boolean =>
  ["bdi", "title", "option", "code", "text"].includes(element.tagName) || getAttribute(element, "dir") === "auto";

const ofRecords = /CNRY_|EVIL|[\u202a-\u202e\u2066-\u2069]/;

/** Texts that are not isolated, by default those of records. */
export const findLooseTexts = (document: DomNode, pattern = ofRecords): string[] =>
  [...walkNodes(document)].flatMap((node) =>
    node.nodeName === "#text" && "value" in node && pattern.test(node.value) && !isWithin(node, isolates)
      ? [node.value.slice(0, 200)]
      : [],
  );

/** Elements with classes and attribute names, in order: independent of the texts on the page. */
export const describeShape = (document: DomNode): string =>
  findElements(document)
    .map((element) => {
      const classes = (getAttribute(element, "class") ?? "").replace(/tint-\d/, "tint");
      return `${getDepth(element)} ${element.tagName}.${classes} ${element.attrs.map(({ name }) => name).join(",")}`;
    })
    .join("\n");

function getDepth(element: Element): number {
  let depth = 0;
  for (let at: DomNode | null = element.parentNode; at !== null; at = "parentNode" in at ? at.parentNode : null)
    depth += 1;
  return depth;
}
