import { type DefaultTreeAdapterTypes, parse } from "parse5";

/** A page parsed by the rules of the HTML standard, as a browser would. */

export type DomNode = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

export const documentOf = (html: string): DomNode => parse(html);

const isElement = (node: DomNode): node is Element => "tagName" in node;

const childrenOf = (node: DomNode): readonly DomNode[] => ("childNodes" in node ? node.childNodes : []);

/** All descendants, in document order. */
export function* nodesIn(node: DomNode): Generator<DomNode> {
  for (const child of childrenOf(node)) {
    yield child;
    yield* nodesIn(child);
  }
}

export function elementsIn(node: DomNode, test: (element: Element) => boolean = () => true): Element[] {
  return [...nodesIn(node)].filter((each): each is Element => isElement(each) && test(each));
}

export const attributeOf = (element: Element, name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value;

export const named =
  (tag: string, className?: string) =>
  (element: Element): boolean =>
    element.tagName === tag &&
    (className === undefined || (attributeOf(element, "class") ?? "").split(" ").includes(className));

/** The first descendant that passes the test. */
export function firstIn(node: DomNode, test: (element: Element) => boolean): Element | undefined {
  for (const each of nodesIn(node)) if (isElement(each) && test(each)) return each;
  return undefined;
}

export const textOf = (node: DomNode): string =>
  [node, ...nodesIn(node)].map((each) => (each.nodeName === "#text" && "value" in each ? each.value : "")).join("");

export const childElements = (node: DomNode): Element[] => childrenOf(node).filter(isElement);

/** Whether any ancestor passes the test. */
export function isWithin(node: DomNode, test: (element: Element) => boolean): boolean {
  for (let at: DomNode | null = node; at !== null; at = "parentNode" in at ? at.parentNode : null)
    if (isElement(at) && test(at)) return true;
  return false;
}
