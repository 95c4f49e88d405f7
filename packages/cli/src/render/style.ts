import type { WriteStream } from "node:tty";
import pc from "picocolors";

export type Style = ReturnType<typeof pc.createColors>;

export function styleFor(stream: Pick<WriteStream, "isTTY">): Style {
  return pc.createColors(stream.isTTY === true && !process.env.NO_COLOR);
}

/** Names and reasons come from outside; what would steer the terminal is shown, not obeyed. */
export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (c) => {
    return `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
