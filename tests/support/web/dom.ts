import { type DefaultTreeAdapterTypes, parse } from "parse5";

/** A page parsed by the rules of the HTML standard, as a browser would. */

export type DomNode = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

export const parseDocument = (html: string): DomNode => parse(html);

const isElement = (node: DomNode): node is Element => "tagName" in node;

const getChildren = (node: DomNode): readonly DomNode[] => ("childNodes" in node ? node.childNodes : []);

/** All descendants, in document order. */
export function* walkNodes(node: DomNode): Generator<DomNode> {
  for (const child of getChildren(node)) {
    yield child;
    yield* walkNodes(child);
  }
}

export function findElements(node: DomNode, test: (element: Element) => boolean = () => true): Element[] {
  return [...walkNodes(node)].filter((each): each is Element => isElement(each) && test(each));
}

export const getAttribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value;

export const hasTag =
  (tag: string, className?: string) =>
  (element: Element): boolean =>
    element.tagName === tag &&
    (className === undefined || (getAttribute(element, "class") ?? "").split(" ").includes(className));

/** The first descendant that passes the test. */
export function findElement(node: DomNode, test: (element: Element) => boolean): Element | undefined {
  for (const each of walkNodes(node)) if (isElement(each) && test(each)) return each;
  return undefined;
}

export const getText = (node: DomNode): string =>
  [node, ...walkNodes(node)].map((each) => (each.nodeName === "#text" && "value" in each ? each.value : "")).join("");

export const getChildElements = (node: DomNode): Element[] => getChildren(node).filter(isElement);

/** Whether any ancestor passes the test. */
export function isWithin(node: DomNode, test: (element: Element) => boolean): boolean {
  for (let at: DomNode | null = node; at !== null; at = "parentNode" in at ? at.parentNode : null)
    if (isElement(at) && test(at)) return true;
  return false;
}
