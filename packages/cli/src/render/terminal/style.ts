import type { WriteStream } from "node:tty";
import { isolateLabel } from "@pdpp/evidence/text/label";
import pc from "picocolors";
import { unprintable } from "../../input/record-id.ts";

export type Style = ReturnType<typeof pc.createColors>;

export function createStyle(stream: Pick<WriteStream, "isTTY">): Style {
  return pc.createColors(stream.isTTY === true && !process.env.NO_COLOR);
}

/** A whole isolate, as `showLabel` writes it, affects nothing outside. */
const everyUnprintable = new RegExp(`\u2068[^${unprintable.source.slice(1, -1)}]*\u2069|${unprintable.source}`, "g");

/** Escapes control characters, since names and reasons come from outside. */
export function escapeUnprintable(text: string): string {
  return text.replace(everyUnprintable, (found) =>
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const maxLabelChars = 300;

/** A name that somebody else chose: its controls are escaped, a right-to-left one is isolated, a long one is cut. */
export const showLabel = (name: string): string =>
  isolateLabel(escapeUnprintable(name.slice(0, maxLabelChars + 1)), maxLabelChars);
