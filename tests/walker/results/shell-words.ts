import { execFileSync } from "node:child_process";
import { WalkError } from "../walk.ts";

/** Parses a command as a POSIX shell does. Any special shell syntax is an error. */

const plain = /^[A-Za-z0-9_@%+:,./=-]+/;
const single = /^'([^']*)'/;
const printed = /^"\$\(printf '((?:[^']|'\\'')*)'\)"/;

export function splitShellWords(line: string): string[] {
  const words: string[] = [];
  let rest = line;
  let word: string | undefined;
  while (rest !== "") {
    const blank = /^ +/.exec(rest);
    const found = blank ?? plain.exec(rest) ?? single.exec(rest) ?? /^\\(')/.exec(rest) ?? printed.exec(rest);
    if (found === null) throw new WalkError(`a shell would not take ${JSON.stringify(rest.slice(0, 80))} as written`);
    if (blank === null) word = (word ?? "") + meaning(found[0], found[1]);
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
    rest = rest.slice(found[0].length);
  }
  return word === undefined ? words : [...words, word];
}

function meaning(found: string, inner: string | undefined): string {
  if (inner === undefined) return found;
  if (!found.startsWith('"')) return inner;
  const bytes = inner.replaceAll("'\\''", "'").replace(/%%|\\\\|(?:\\[0-7]{3})+/g, (c) =>
    c === "%%"
      ? "%"
      : c === "\\\\"
        ? "\\"
        : Buffer.from(
            c
              .slice(1)
              .split("\\")
              .map((octal) => Number.parseInt(octal, 8)),
          ).toString("utf8"),
  );
  // A substitution drops trailing newlines.
  return bytes.replace(/\n+$/, "");
}

/** Splits many commands with a real shell. */
export function splitByShell(lines: readonly string[]): string[][] {
  const program = `pdpp() { printf '%s\\0' "$#" "$@"; }\n${lines.join("\n")}\n`;
  const said = execFileSync("/bin/sh", [], { input: program, encoding: "utf8", maxBuffer: 1e8 }).split("\0");
  const all: string[][] = [];
  for (let at = 0; at < said.length - 1; at += Number(said[at]) + 1)
    all.push(said.slice(at + 1, at + 1 + Number(said[at])));
  return all;
}
