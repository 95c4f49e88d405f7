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

const textOf = ({ content }: CallToolResult): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

const structuredOf = ({ structuredContent }: CallToolResult): string =>
  structuredContent === undefined ? "" : JSON.stringify(structuredContent);

const bothOf = (result: CallToolResult): string => `${textOf(result)}\n${structuredOf(result)}`;

export const headCut = (shown: string, most: number): string =>
  shown.length <= most ? shown : `${shown.slice(0, most)}\n${cutMark}`;

export const middleCut = (shown: string, most: number): string =>
  shown.length <= most ? shown : `${shown.slice(0, most / 2)}\n${cutMark}\n${shown.slice(-most / 2)}`;

export const hostClasses: readonly HostClass[] = [
  { name: "content-only", resources: true, show: textOf },
  { name: "structured-only", resources: true, show: structuredOf },
  { name: "both", resources: true, show: bothOf },
  { name: "resource-less", resources: false, show: bothOf },
  { name: "head-keeping", resources: true, show: (result) => headCut(textOf(result), 2000) },
  { name: "middle-cutting", resources: true, show: (result) => middleCut(JSON.stringify(result), 8000) },
];
