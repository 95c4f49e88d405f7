import type { WriteStream } from "node:tty";
import pc from "picocolors";
import { unprintable } from "../../input/record-id.ts";

export type Style = ReturnType<typeof pc.createColors>;

export function createStyle(stream: Pick<WriteStream, "isTTY">): Style {
  return pc.createColors(stream.isTTY === true && !process.env.NO_COLOR);
}

const everyUnprintable = new RegExp(unprintable, "g");

/** Names and reasons come from outside; what would steer the terminal is shown, not obeyed. */
export function escapeUnprintable(text: string): string {
  return text.replace(everyUnprintable, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
