import type { Command } from "commander";

/** Completion scripts, made from the commands themselves. */

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

interface Place {
  /** The words that lead there, without `pdpp`. */
  readonly path: string;
  readonly candidates: readonly { readonly word: string; readonly about: string }[];
}

export function buildCompletionScript(program: Command, shell: Shell): string {
  const places = listPlaces(program, []);
  return { bash: buildBash, zsh: buildZsh, fish: buildFish }[shell](places);
}

function listPlaces(command: Command, path: readonly string[]): Place[] {
  const globals = path.length === 0 ? [] : getRoot(command).options;
  const options = [...command.options, ...globals].filter(({ hidden, long }) => !hidden && long);
  const candidates = [
    ...command.commands.map((child) => ({ word: child.name(), about: child.description() })),
    ...options.flatMap(({ long, description }) => (long ? [{ word: long, about: description }] : [])),
    { word: "--help", about: "how it is used" },
  ];
  const here = { path: path.join(" "), candidates };
  return [here, ...command.commands.flatMap((child) => listPlaces(child, [...path, child.name()]))];
}

const getRoot = (command: Command): Command => (command.parent === null ? command : getRoot(command.parent));

const quoteWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Walks the words before the cursor to the innermost command, in a shell's own words. */
const walk = (places: readonly Place[], words: string): string => `  local at='' word
  for word in ${words}; do
    case "\${at:+$at }$word" in
      ${places
        .filter(({ path }) => path !== "")
        .map(({ path }) => quoteWord(path))
        .join("|")}) at="\${at:+$at }$word" ;;
    esac
  done`;

const buildBash = (places: readonly Place[]): string => `_pdpp() {
${walk(places, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  local words=''
  case "$at" in
${places.map(({ path, candidates }) => `    ${quoteWord(path)}) words=${quoteWord(candidates.map(({ word }) => word).join(" "))} ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _pdpp pdpp
`;

const buildZsh = (places: readonly Place[]): string => `#compdef pdpp
_pdpp() {
${walk(places, `"\${(@)words[2,CURRENT-1]}"`)}
  local -a candidates
  case "$at" in
${places
  .map(({ path, candidates }) => {
    const items = candidates.map(({ word, about }) => quoteWord(`${word}:${about.replaceAll(":", "\\:")}`));
    return `    ${quoteWord(path)}) candidates=(${items.join(" ")}) ;;`;
  })
  .join("\n")}
  esac
  _describe pdpp candidates || _files
}
if [ "$funcstack[1]" = "_pdpp" ]; then _pdpp "$@"; else compdef _pdpp pdpp; fi
`;

const buildFish = (places: readonly Place[]): string => `function __pdpp_at
  set -l at
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${places
        .filter(({ path }) => path !== "")
        .map(({ path }) => quoteWord(` ${path}`))
        .join(" ")}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${places
  .flatMap(({ path, candidates }) =>
    candidates.map(({ word, about }) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      const at = path === "" ? "" : ` ${path}`;
      return `complete -c pdpp -n ${quoteForFish(`__pdpp_at ${quoteForFish(at)}`)} ${what} -d ${quoteForFish(about)}`;
    }),
  )
  .join("\n")}
`;

const quoteForFish = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
