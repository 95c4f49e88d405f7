import type { CallToolResult } from "@modelcontextprotocol/client";

/** How each class of host turns a tool result into the characters a model sees. */

export interface HostClass {
  readonly name: string;
  /** Whether the model can read resources. */
  readonly resources: boolean;
  show(result: CallToolResult): string;
}

/** Marks where a host truncated a result. */
export const cutMark = "[... cut by the host ...]";

const showText = ({ content }: CallToolResult): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

const showStructured = ({ structuredContent }: CallToolResult): string =>
  structuredContent === undefined ? "" : JSON.stringify(structuredContent);

const showBoth = (result: CallToolResult): string => `${showText(result)}\n${showStructured(result)}`;

export const cutTail = (shown: string, most: number): string =>
  shown.length <= most ? shown : `${shown.slice(0, most)}\n${cutMark}`;

export const cutMiddle = (shown: string, most: number): string =>
  shown.length <= most ? shown : `${shown.slice(0, most / 2)}\n${cutMark}\n${shown.slice(-most / 2)}`;

export const hostClasses: readonly HostClass[] = [
  { name: "content-only", resources: true, show: showText },
  { name: "structured-only", resources: true, show: showStructured },
  { name: "both", resources: true, show: showBoth },
  { name: "resource-less", resources: false, show: showBoth },
  { name: "head-keeping", resources: true, show: (result) => cutTail(showText(result), 2000) },
  { name: "middle-cutting", resources: true, show: (result) => cutMiddle(JSON.stringify(result), 8000) },
];
