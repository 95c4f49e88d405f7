import {
  type DomNode,
  type Element,
  findElement,
  findElements,
  getAttribute,
  getChildElements,
  getText,
  hasTag,
  isWithin,
  walkNodes,
} from "@pdpp/test-support/web/dom";
import { WalkError } from "../walk.ts";

/** Parses a page of the console's Explore section. */

/** How a value appears on a page. */
export type Shown =
  | { readonly as: "text"; readonly text: string }
  | { readonly as: "time"; readonly datetime: string }
  | { readonly as: "list"; readonly items: readonly string[] }
  | { readonly as: "data"; readonly text: string }
  | { readonly as: "exact"; readonly text: string; readonly value: string }
  /** The page's own words: a number, yes or no. */
  | { readonly as: "words"; readonly text: string }
  /** Behind a link. */
  | { readonly as: "rest"; readonly field: string }
  | { readonly as: "files"; readonly blobs: readonly ShownFile[]; readonly rest: string | undefined };

interface ShownFile {
  readonly blob: string;
  readonly words: string;
  readonly textField: string | undefined;
}

export interface Row {
  readonly label: string;
  readonly shown: Shown;
}

export interface RecordPage {
  readonly id: string;
  readonly rows: readonly Row[];
  readonly empty: readonly string[];
  /** Truncated texts, by the field that the link names. */
  readonly beginnings: readonly Beginning[];
}

interface Beginning {
  readonly field: string;
  readonly end: number;
  readonly total: number;
  readonly text: string;
}

const number = (text: string): number => Number(text.replaceAll(",", ""));

const listLinks = (node: DomNode): Element[] =>
  findElements(node, (element) => element.tagName === "a" && getAttribute(element, "href") !== undefined);

const getParam = (link: Element, name: string): string =>
  new URL(getAttribute(link, "href") ?? "", "http://x").searchParams.get(name) ?? "";
const leadsTo = (link: Element, page: string): boolean => (getAttribute(link, "href") ?? "").startsWith(`${page}?`);

function parseShown(cell: Element): Shown {
  const files = findElements(cell, hasTag("div", "file"));
  const links = listLinks(cell).filter((link) => leadsTo(link, "text"));
  if (files.length > 0) {
    const own = links.filter((link) => !files.some((file) => listLinks(file).includes(link)));
    return { as: "files", blobs: files.map(parseFile), rest: own.map((link) => getParam(link, "field"))[0] };
  }
  const [link] = links;
  if (link !== undefined) return { as: "rest", field: getParam(link, "field") };
  const time = findElement(cell, hasTag("time"));
  if (time !== undefined) return { as: "time", datetime: getAttribute(time, "datetime") ?? "" };
  const data = findElement(cell, hasTag("pre"));
  if (data !== undefined) return { as: "data", text: getText(data) };
  const said = getChildElements(cell).filter(hasTag("bdi"));
  const [first, ...others] = said;
  if (first !== undefined && others.length > 0) return { as: "list", items: said.map(getText) };
  const exact = findElement(cell, hasTag("data"));
  if (exact !== undefined) return { as: "exact", text: getText(exact), value: getAttribute(exact, "value") ?? "" };
  // A number has its unit beside it, which is a text.
  const own = getText(cell)
    .slice(0, -getText(first ?? cell).length)
    .trim();
  if (first !== undefined) return own === "" ? { as: "text", text: getText(first) } : { as: "words", text: own };
  return { as: "words", text: getText(cell) };
}

function parseFile(file: Element): ShownFile {
  const links = listLinks(file);
  const bytes = links.find((link) => leadsTo(link, "file"));
  const text = links.find((link) => leadsTo(link, "text"));
  return {
    blob: bytes === undefined ? "" : getParam(bytes, "blob"),
    words: getText(file),
    textField: text && getParam(text, "field"),
  };
}

const parseRows = (list: Element): Row[] =>
  getChildElements(list).flatMap((row) => {
    const [label, cell] = [findElement(row, hasTag("dt")), findElement(row, hasTag("dd"))];
    return label === undefined || cell === undefined ? [] : [{ label: getText(label), shown: parseShown(cell) }];
  });

/** The last rows under "Technical details": handle, version and storage time. */
const ownRows = 3;

export function readRecord(document: DomNode): RecordPage {
  const main = must(findElement(document, hasTag("main")));
  const more = must(
    findElements(main, hasTag("details")).find(
      (each) => getText(must(getChildElements(each)[0])) === "Technical details",
    ),
  );
  const about = parseRows(must(findElement(more, hasTag("dl"))));
  const id = about.at(-ownRows)?.shown;
  const beginnings: Beginning[] = [];
  const whole: Row[] = [];
  for (const section of findElements(main, hasTag("section", "text"))) {
    const text = getText(must(findElement(section, hasTag("div", "prose"))));
    const on = listLinks(section).find((link) => leadsTo(link, "text"));
    const label = getText(must(findElement(section, hasTag("h2"))));
    if (on === undefined) whole.push({ label, shown: { as: "text", text } });
    else {
      const [, end = "", total = ""] = /([\d,]+) of ([\d,]+) characters$/.exec(getText(section).trim()) ?? [];
      beginnings.push({ field: getParam(on, "field"), end: number(end), total: number(total), text });
      whole.push({ label, shown: { as: "rest", field: getParam(on, "field") } });
    }
  }
  const empties = findElements(main, hasTag("p", "soft")).find((each) => getText(each).startsWith("Empty: "));
  return {
    id: id?.as === "words" ? id.text : "",
    rows: [...whole, ...parseRows(must(findElement(main, hasTag("dl", "fields")))), ...about.slice(0, -ownRows)],
    empty: empties === undefined ? [] : findElements(empties, hasTag("bdi")).map(getText),
    beginnings,
  };
}

export interface EarlierRow {
  readonly label: string;
  /** The start of the value; undefined if it had none. */
  readonly text: string | undefined;
  /** The field named by the link to the full value. */
  readonly rest: string | undefined;
}

export const readEarlier = (document: DomNode): EarlierRow[] =>
  getChildElements(must(findElement(document, hasTag("dl", "fields")))).map((row) => {
    const long = findElement(row, hasTag("span", "long"));
    const on = listLinks(row).find((link) => leadsTo(link, "text"));
    // The next version's value follows, underlined.
    const later = long === undefined ? [] : findElements(long, hasTag("ins"));
    const texts =
      long === undefined ? [] : [...walkNodes(long)].filter((node) => !later.some((ins) => isBelow(node, ins)));
    return {
      label: getText(must(findElement(row, hasTag("bdi")))),
      text: long && texts.map((node) => (node.nodeName === "#text" ? getText(node) : "")).join(""),
      rest: on && getParam(on, "field"),
    };
  });

const isBelow = (node: DomNode, element: Element): boolean => isWithin(node, (each) => each === element);

export interface TextWindow {
  readonly start: number;
  readonly end: number;
  readonly total: number;
  readonly text: string;
  /** Of an earlier version. */
  readonly version: string | undefined;
}

export function readWindow(document: DomNode): TextWindow {
  const main = must(findElement(document, hasTag("main")));
  const about = getText(must(findElement(main, hasTag("p", "soft"))));
  const [, version, start = "", end = "", total = ""] =
    /^(?:Version (\d+)\. )?Characters ([\d,]+) to ([\d,]+) of ([\d,]+)/.exec(about) ?? [];
  const text = getText(must(findElement(main, (element) => getAttribute(element, "data-window") !== undefined)));
  return { start: number(start), end: number(end), total: number(total), text, version };
}

function must<T>(found: T | undefined): T {
  if (found === undefined) throw new WalkError("the page is not as pages are");
  return found;
}
