import {
  attributeOf,
  childElements,
  type DomNode,
  type Element,
  elementsIn,
  firstIn,
  isWithin,
  named,
  nodesIn,
  textOf,
} from "@pdpp/test-support/web/dom";
import { WalkFault } from "./walk.ts";

/** What a person reads on a page of Explore, taken from its elements. */

/** How a value stands on a page. */
export type Shown =
  | { readonly as: "text"; readonly text: string }
  | { readonly as: "time"; readonly datetime: string }
  | { readonly as: "list"; readonly items: readonly string[] }
  | { readonly as: "data"; readonly text: string }
  | { readonly as: "exact"; readonly text: string; readonly value: string }
  /** Words of the page's own: a number, yes or no. */
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
  /** Beginnings of long texts, by the field that the way on names. */
  readonly beginnings: readonly Beginning[];
}

interface Beginning {
  readonly field: string;
  readonly end: number;
  readonly total: number;
  readonly text: string;
}

const number = (text: string): number => Number(text.replaceAll(",", ""));

const linksIn = (node: DomNode): Element[] =>
  elementsIn(node, (element) => element.tagName === "a" && attributeOf(element, "href") !== undefined);

const paramOf = (link: Element, name: string): string =>
  new URL(attributeOf(link, "href") ?? "", "http://x").searchParams.get(name) ?? "";
const leadsTo = (link: Element, page: string): boolean => (attributeOf(link, "href") ?? "").startsWith(`${page}?`);

function shownIn(cell: Element): Shown {
  const files = elementsIn(cell, named("div", "file"));
  const links = linksIn(cell).filter((link) => leadsTo(link, "text"));
  if (files.length > 0) {
    const own = links.filter((link) => !files.some((file) => linksIn(file).includes(link)));
    return { as: "files", blobs: files.map(shownFile), rest: own.map((link) => paramOf(link, "field"))[0] };
  }
  const [link] = links;
  if (link !== undefined) return { as: "rest", field: paramOf(link, "field") };
  const time = firstIn(cell, named("time"));
  if (time !== undefined) return { as: "time", datetime: attributeOf(time, "datetime") ?? "" };
  const data = firstIn(cell, named("pre"));
  if (data !== undefined) return { as: "data", text: textOf(data) };
  const said = childElements(cell).filter(named("bdi"));
  const [first, ...others] = said;
  if (first !== undefined && others.length > 0) return { as: "list", items: said.map(textOf) };
  if (first !== undefined) return { as: "text", text: textOf(first) };
  const exact = firstIn(cell, named("data"));
  if (exact !== undefined) return { as: "exact", text: textOf(exact), value: attributeOf(exact, "value") ?? "" };
  return { as: "words", text: textOf(cell) };
}

function shownFile(file: Element): ShownFile {
  const links = linksIn(file);
  const bytes = links.find((link) => leadsTo(link, "file"));
  const text = links.find((link) => leadsTo(link, "text"));
  return {
    blob: bytes === undefined ? "" : paramOf(bytes, "blob"),
    words: textOf(file),
    textField: text && paramOf(text, "field"),
  };
}

const rowsIn = (list: Element): Row[] =>
  childElements(list).flatMap((row) => {
    const [label, cell] = [firstIn(row, named("dt")), firstIn(row, named("dd"))];
    return label === undefined || cell === undefined ? [] : [{ label: textOf(label), shown: shownIn(cell) }];
  });

/** The last rows under "Technical details": its handle, its version, and when it was stored. */
const ownRows = 3;

export function readRecord(document: DomNode): RecordPage {
  const main = must(firstIn(document, named("main")));
  const more = must(
    elementsIn(main, named("details")).find((each) => textOf(must(childElements(each)[0])) === "Technical details"),
  );
  const about = rowsIn(must(firstIn(more, named("dl"))));
  const id = about.at(-ownRows)?.shown;
  const beginnings: Beginning[] = [];
  const whole: Row[] = [];
  for (const section of elementsIn(main, named("section", "text"))) {
    const text = textOf(must(firstIn(section, named("div", "prose"))));
    const on = linksIn(section).find((link) => leadsTo(link, "text"));
    const label = textOf(must(firstIn(section, named("h2"))));
    if (on === undefined) whole.push({ label, shown: { as: "text", text } });
    else {
      const [, end = "", total = ""] = /([\d,]+) of ([\d,]+) characters$/.exec(textOf(section).trim()) ?? [];
      beginnings.push({ field: paramOf(on, "field"), end: number(end), total: number(total), text });
      whole.push({ label, shown: { as: "rest", field: paramOf(on, "field") } });
    }
  }
  const empties = elementsIn(main, named("p", "soft")).find((each) => textOf(each).startsWith("Empty: "));
  return {
    id: id?.as === "words" ? id.text : "",
    rows: [...whole, ...rowsIn(must(firstIn(main, named("dl", "fields")))), ...about.slice(0, -ownRows)],
    empty: empties === undefined ? [] : elementsIn(empties, named("bdi")).map(textOf),
    beginnings,
  };
}

export interface EarlierRow {
  readonly label: string;
  /** Its beginning; undefined where it had none. */
  readonly text: string | undefined;
  /** The field that the way to all of it names. */
  readonly rest: string | undefined;
}

export const readEarlier = (document: DomNode): EarlierRow[] =>
  childElements(must(firstIn(document, named("dl", "fields")))).map((row) => {
    const long = firstIn(row, named("span", "long"));
    const on = linksIn(row).find((link) => leadsTo(link, "text"));
    // What the next version has instead stands beside it, underlined.
    const later = long === undefined ? [] : elementsIn(long, named("ins"));
    const texts =
      long === undefined ? [] : [...nodesIn(long)].filter((node) => !later.some((ins) => isBelow(node, ins)));
    return {
      label: textOf(must(firstIn(row, named("bdi")))),
      text: long && texts.map((node) => (node.nodeName === "#text" ? textOf(node) : "")).join(""),
      rest: on && paramOf(on, "field"),
    };
  });

const isBelow = (node: DomNode, element: Element): boolean => isWithin(node, (each) => each === element);

export interface TextWindow {
  readonly start: number;
  readonly end: number;
  readonly total: number;
  readonly text: string;
  /** Of an earlier version than the record has now. */
  readonly version: string | undefined;
}

export function readWindow(document: DomNode): TextWindow {
  const main = must(firstIn(document, named("main")));
  const about = textOf(must(firstIn(main, named("p", "soft"))));
  const [, version, start = "", end = "", total = ""] =
    /^(?:Version (\d+)\. )?Characters ([\d,]+) to ([\d,]+) of ([\d,]+)/.exec(about) ?? [];
  const text = textOf(must(firstIn(main, (element) => attributeOf(element, "data-window") !== undefined)));
  return { start: number(start), end: number(end), total: number(total), text, version };
}

function must<T>(found: T | undefined): T {
  if (found === undefined) throw new WalkFault("the page is not as pages are");
  return found;
}
