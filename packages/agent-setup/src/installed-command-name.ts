import { isSea } from "node:sea";

/** Replaces `command-name.ts` in an installed package and in the single executable, which may have any name and be anywhere. */
export const commandName = isSea() ? quoteName(process.argv0) : "pdpp";

export const demoCommand = `${commandName} serve --demo`;

export const isInstalled: boolean = true;

function quoteName(name: string): string {
  return /\s/.test(name) ? `"${name}"` : name;
}
