import type { WriteStream } from "node:tty";
import pc from "picocolors";
import { unprintable } from "../../input/record-id.ts";

export type Style = ReturnType<typeof pc.createColors>;

export function createStyle(stream: Pick<WriteStream, "isTTY">): Style {
  return pc.createColors(stream.isTTY === true && !process.env.NO_COLOR);
}

const everyUnprintable = new RegExp(unprintable, "g");

/** Escapes control characters, since names and reasons come from outside. */
export function escapeUnprintable(text: string): string {
  return text.replace(everyUnprintable, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
