import { facts, months, nestedPath, type TaskKey, wordsFor } from "./tasks.ts";

/**
 * The same tasks in a shell, using the commands from the help text and the `-> pdpp read ...` lines in the output.
 */

/** Runs one line in a shell and returns its visible output. */
export type Shell = (line: string) => Promise<string>;

const word = String.raw`('(?:[^']|'\\'')*'|\S+)`;

/** Ignores record text, which is not the program's own output. */
const listReadLines = (shown: string): string[] =>
  [...shown.replace(/^<<TEXT (\w+)\n[\s\S]*?^\1 TEXT>>$/gm, "").matchAll(/^-> (pdpp read .*)$/gm)].map(
    ([, line]) => line!,
  );

function found(shown: string, fact: RegExp): string {
  const match = fact.exec(shown);
  if (match === null) throw new Error(`${fact} is not in: ${shown.slice(0, 500)}`);
  return match[1]!;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export function createCliTasks(url: string): { readonly [key in TaskKey]: (sh: Shell) => Promise<string> } {
  const search = (sh: Shell, task: keyof typeof wordsFor) =>
    sh(`pdpp read search ${url} ${quoted(wordsFor[task])} --limit 5 --format card`);
  const first = async (sh: Shell, task: keyof typeof wordsFor) => listReadLines(await search(sh, task))[0]!;
  /** The record's id, quoted for the shell. */
  const id = async (sh: Shell, task: keyof typeof wordsFor) =>
    found(await first(sh, task), new RegExp(`(?:field-window|fetch) \\S+ ${word} `));
  return {
    async fact(sh) {
      let text = "";
      let line: string | undefined = await first(sh, "fact");
      for (let count = 0; line !== undefined && count < 12; count += 1) {
        const shown: string = await sh(line);
        text += shown;
        if (facts.every((fact) => fact.test(text))) break;
        line = /^next$/m.test(shown) ? listReadLines(shown)[0] : undefined;
      }
      return facts.map((fact) => fact.exec(text)?.[1]).join(" ");
    },
    async compoundKey(sh) {
      const shown = await sh(`pdpp read fetch ${url} ${await id(sh, "compoundKey")} --format card`);
      return found(shown, /^engraving: (.*)$/m);
    },
    async paging(sh) {
      const seen = new Set<string>();
      let line: string | undefined = `pdpp read query-records ${url} readings --limit 100 --format card`;
      while (line !== undefined) {
        const shown: string = await sh(line);
        for (const [, record] of shown.matchAll(/^ +(\S+\/readings:\S+)$/gm)) seen.add(record!);
        line = listReadLines(shown).find((next) => next.includes("--cursor"));
      }
      return String(seen.size);
    },
    async spend(sh) {
      const shown = await sh(`pdpp read schema ${url} orders --format card`);
      const amount = found(shown, /^ +(\S+) +t=\S*role=amount/m);
      const time = found(shown, /^ +(\S+) +t=\S*role=event-time/m);
      const sums: string[] = [];
      for (const [from, until] of months) {
        const period = `--filter '${time}>=${from}' --filter '${time}<${until}'`;
        const line = `pdpp read aggregate ${url} orders --metric sum --field ${amount} ${period} --format card`;
        sums.push(found(await sh(line), /^(-?[\d.]+)$/m));
      }
      return sums.join(", ");
    },
    account: async (sh) => found(await search(sh, "account"), /^1\. .*\n +([^,]+), /m),
    async ambiguous(sh) {
      const refused = await sh(`pdpp read query-records ${url} messages --format card`);
      const connection = found(refused, /^ +(\S+) +Family chat$/m);
      const line = `pdpp read query-records ${url} messages --connection-id ${connection} --limit 1 --format card`;
      return found(await sh(line), /^ *body +"(.*)"$/m);
    },
    async nested(sh) {
      const record = await id(sh, "nested");
      const line = `pdpp read field-window ${url} ${record} --field ${quoted(nestedPath)} --format card`;
      return found(await sh(line), /^<<TEXT \w+\n(.*)$/m);
    },
    async image(sh) {
      const shown = await sh(`pdpp read fetch ${url} ${await id(sh, "image")} --format json --view evidence`);
      return `${found(shown, /"size_bytes":\s*(\d+)/)} ${found(shown, /"(image\/\w+)"/)}`;
    },
  };
}
