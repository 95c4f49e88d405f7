import type { Warning } from "@pdpp/contract/wire";
import { type CommandContext, formatCommand } from "../../render/continuation.ts";
import { createStyle, escapeUnprintable } from "../../render/terminal/style.ts";
import { formatContinuation, type NextRead, type View } from "../../render/view.ts";

export const formats = ["json", "jsonl", "table", "card"] as const;
type Format = (typeof formats)[number];

export interface ReadOutputOptions {
  readonly json?: boolean;
  readonly format?: Format;
  readonly data?: boolean;
}

export interface ReadOutput {
  readonly format: Format;
  readonly view: View;
  /** Prints the result in the requested format, and warnings to stderr. */
  show(
    document: object,
    texts: { readonly card: (view: View) => string; readonly table?: (view: View) => string },
  ): void;
  warn(document: object): void;
  /** Something about the answer to know first; to stderr, for the answer is the server's. */
  note(text: string): void;
}

const defaultWidth = 80;

export function openReadOutput(
  { json, format: asked, data }: ReadOutputOptions,
  commandContext: CommandContext,
): ReadOutput {
  const terminal = process.stdout.isTTY === true;
  const format = json ? "json" : (asked ?? (terminal ? "card" : "json"));
  const view: View = {
    style: createStyle(process.stdout),
    width: terminal ? process.stdout.columns || defaultWidth : defaultWidth,
    terminal,
    toCommand: (next) => formatCommand(dropCards(next), commandContext),
  };
  const warn = (document: object): void => {
    const { warnings = [] } = (document as { meta?: { warnings?: Warning[] } }).meta ?? {};
    for (const { code, message, reads = [] } of warnings) {
      process.stderr.write(
        `${createStyle(process.stderr).yellow("warning:")} ${code} — ${escapeUnprintable(message)}\n`,
      );
      // Records show the reads of their warnings themselves.
      if (code === "time_preferred")
        for (const read of reads) process.stderr.write(`${formatContinuation(view, read)}\n`);
    }
  };
  return {
    format,
    view,
    warn,
    note: (text) => process.stderr.write(`${text}\n`),
    show(document, { card, table = card }) {
      const text =
        format === "card" ? card(view) : format === "table" ? table(view) : toJsonText(document, format, data);
      process.stdout.write(text === "" ? "" : `${text}\n`);
      warn(document);
    },
  };

  function toJsonText(document: object, kind: "json" | "jsonl", unwrap: boolean | undefined): string {
    const shown = unwrap ? unwrapData(document) : document;
    if (kind === "json") return JSON.stringify(shown, null, terminal ? 2 : 0);
    return (Array.isArray(shown) ? shown : [shown]).map((item) => JSON.stringify(item)).join("\n");
  }
}

/** The card view is only a display format, so the next command does not request it. */
function dropCards({ operation, arguments: args }: NextRead): NextRead {
  const rest = Object.entries(args).filter(([name, value]) => !(name === "view" && value === "evidence"));
  return { operation, arguments: Object.fromEntries(rest) };
}

function unwrapData(document: object): unknown {
  if ("data" in document) return document.data;
  return "records" in document ? document.records : document;
}
