import type { OperationName } from "@pdpp/contract/operations";
import stringWidth from "string-width";
import type { Style } from "./terminal/style.ts";

/** What a text is made for: its colours, how wide the screen is, and how a read is written as a command. */
export interface View {
  readonly style: Style;
  readonly width: number;
  /** A terminal obeys control characters; a pipe carries them. */
  readonly terminal: boolean;
  /** The command that makes a read. */
  toCommand(next: NextRead): string;
}

export interface NextRead {
  readonly operation: OperationName;
  readonly arguments: object;
}

/** A continuation: a line of its own, and nothing after the command. */
export const formatContinuation = ({ style, toCommand }: View, next: NextRead): string =>
  style.cyan(`-> ${toCommand(next)}`);

/** The read that has bytes: of a record it is the record itself, for a card would only describe them. */
export const toBytesRead = ({ operation, arguments: args }: NextRead): NextRead => ({
  operation,
  arguments: operation === "fetch" ? { ...args, format: "json" } : args,
});

/**
 * Our own words, or pieces that stay whole, broken between them. One that is longer than the line stays whole. By hand, because
 * wrap-ansi breaks at every space, also inside a piece.
 */
export function wrapText(text: string | readonly string[], width: number, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of typeof text === "string" ? text.split(" ") : text) {
    if (line !== "" && stringWidth(`${indent}${line} ${word}`) > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => `${indent}${each}`).join("\n");
}

/** "1 record", "2 records". */
export const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
