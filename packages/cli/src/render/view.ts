import type { ReadApi } from "@pdpp/contract/operations";
import type { Style } from "./terminal/style.ts";
import { measureWidth } from "./terminal/width.ts";

/** How to render text: colors, width, and how to write a read as a command. */
export interface View {
  readonly style: Style;
  readonly width: number;
  /** Terminals interpret control characters; pipes do not. */
  readonly terminal: boolean;
  toCommand(next: NextRead): string;
}

/** The reads that have a command. */
export type CommandRead = Exclude<keyof ReadApi, "connectors" | "stream">;

export interface NextRead {
  readonly operation: CommandRead;
  readonly arguments: object;
}

/** The command is alone on its line, so that it can be copied. */
export const formatContinuation = ({ style, toCommand }: View, next: NextRead): string =>
  style.cyan(`-> ${toCommand(next)}`);

/** Reads a record as JSON, since a card would only describe its bytes. */
export const toBytesRead = ({ operation, arguments: args }: NextRead): NextRead => ({
  operation,
  arguments: operation === "fetch" ? { ...args, format: "json" } : args,
});

/** Wraps text between words or given pieces. Unlike wrap-ansi, it never breaks inside a piece. */
export function wrapText(text: string | readonly string[], width: number, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of typeof text === "string" ? text.split(" ") : text) {
    if (line !== "" && measureWidth(`${indent}${line} ${word}`) > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => `${indent}${each}`).join("\n");
}

export const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
