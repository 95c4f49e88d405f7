import type { Instruction } from "./dockerfile.ts";

/** Rules of hadolint by their ids. Each returns whether a stage, or one of its instructions, breaks it. */

interface Stage {
  readonly from: string;
  readonly alias: string | undefined;
  readonly instructions: readonly Instruction[];
}

type InstructionRule = (instruction: Instruction, stage: Stage, earlier: readonly Stage[]) => boolean;

const isArchive = (path: string): boolean => /\.(tar|t?gz|tgz|xz|bz2|zst)$/.test(path);
const getSources = (text: string): string[] =>
  text
    .split(" ")
    .filter((word) => !word.startsWith("--"))
    .slice(0, -1);
const getCopyStage = (text: string): string | undefined => /--from=(\S+)/.exec(text)?.[1];
const listPairs = (text: string): [string, string][] =>
  [...text.matchAll(/([^\s=]+)=("[^"]*"|\S*)/g)].map(([, key, value]) => [key!, value!.replaceAll('"', "")]);

/** Each is asked about the instructions that its key names. */
const instructionRules: Readonly<Record<string, readonly [string, InstructionRule]>> = {
  DL3000: ["WORKDIR", ({ text }) => !text.startsWith("/")],
  DL3001: ["RUN", ({ text }) => /\b(ssh|vim|shutdown|service|ps|free|top|kill|mount|ifconfig|nano)\b/.test(text)],
  DL3003: ["RUN", ({ text }) => /(^|&&|;)\s*cd\b/.test(text)],
  DL3004: ["RUN", ({ text }) => /\bsudo\b/.test(text)],
  DL3006: [
    "FROM",
    ({ text }, _, earlier) => !isStage(text, earlier) && !/^[^:@\s]+(\/[^:@\s]+)*[:@]/.test(getImage(text)),
  ],
  DL3007: ["FROM", ({ text }) => getImage(text).endsWith(":latest")],
  // The versions and caches of a dozen package managers; this one allows none of them.
  DL3008: [
    "RUN",
    ({ text }) => /\b(apt-get|apt|apk|yum|dnf|zypper|pip3?|gem|npm|yarn|go) (install|i|add|ci)\b/.test(text),
  ],
  DL3010: [
    "RUN",
    ({ text }, { instructions }) =>
      /\btar\b.*x/.test(text) &&
      instructions.some((other) => other.name === "COPY" && getSources(other.text).some(isArchive)),
  ],
  DL3011: ["EXPOSE", ({ text }) => text.split(" ").some((port) => !(Number.parseInt(port, 10) <= 65_535))],
  DL3020: ["ADD", ({ text }) => getSources(text).some((path) => !isArchive(path) && !/^https?:/.test(path))],
  DL3021: ["COPY", ({ text }) => getSources(text).length > 1 && !text.endsWith("/")],
  DL3022: [
    "COPY",
    ({ text }, _, earlier) => text.includes("--from=") && !earlier.some(({ alias }) => alias === getCopyStage(text)),
  ],
  DL3023: ["COPY", ({ text }, { alias }) => alias !== undefined && getCopyStage(text) === alias],
  DL3024: ["FROM", (_, { alias }, earlier) => alias !== undefined && earlier.some((stage) => stage.alias === alias)],
  DL3029: ["FROM", ({ text }) => text.includes("--platform")],
  DL3044: ["ENV", ({ text }) => listPairs(text).some(([key]) => new RegExp(`\\$\\{?${key}\\b`).test(text))],
  DL3045: [
    "COPY",
    ({ text }, { instructions }) =>
      !text.split(" ").at(-1)!.startsWith("/") && !instructions.some(({ name }) => name === "WORKDIR"),
  ],
  DL3048: ["LABEL", ({ text }) => listPairs(text).some(([key]) => !/^[a-z](?:[a-z0-9]|[.-](?=[a-z0-9]))*$/.test(key))],
  DL3051: ["LABEL", ({ text }) => listPairs(text).some(([, value]) => value === "")],
  DL3064: ["ENV", ({ text }) => listPairs(text).some(([key]) => /PASS|SECRET|TOKEN|API_?KEY/i.test(key))],
  DL3067: ["COPY", ({ text }) => text.includes("--from=") && getSources(text).includes("/")],
  DL4000: ["MAINTAINER", () => true],
  DL4006: [
    "RUN",
    ({ text }, { instructions }) => /[^|]\|[^|]/.test(text) && !instructions.some(({ name }) => name === "SHELL"),
  ],
};

const count = ({ instructions }: Stage, wanted: string): number =>
  instructions.filter(({ name }) => name === wanted).length;
const isJson = (text: string): boolean => /^(--\S+ )*(CMD )?\[.*\]$/.test(text);

const stageRules: Readonly<Record<string, (stage: Stage) => boolean>> = {
  DL3012: (stage) => count(stage, "HEALTHCHECK") > 1,
  DL3025: ({ instructions }) =>
    instructions.some(
      ({ name, text }) => /^(CMD|ENTRYPOINT|HEALTHCHECK)$/.test(name) && !isJson(text.replace(/--\S+ /g, "")),
    ),
  DL3059: ({ instructions }) =>
    instructions.some(({ name }, index) => name === "RUN" && instructions[index - 1]?.name === "RUN"),
  DL3063: ({ alias }) => alias === "scratch" || alias === "context",
  DL4003: (stage) => count(stage, "CMD") > 1,
  DL4004: (stage) => count(stage, "ENTRYPOINT") > 1,
};

const lastStageRules: Readonly<Record<string, (stage: Stage) => boolean>> = {
  DL3002: ({ instructions }) => {
    const user = instructions.findLast(({ name }) => name === "USER")?.text ?? "root";
    return /^(root|0)(:|$)/.test(user);
  },
  DL3057: (stage) => count(stage, "HEALTHCHECK") === 0,
  DL3066: ({ instructions }) => instructions.some(({ name, text }) => name === "USER" && !/^\d+(:\d+)?$/.test(text)),
};

const getImage = (text: string): string => text.replace(/--\S+ /g, "").split(" ")[0]!;
const isStage = (text: string, earlier: readonly Stage[]): boolean =>
  getImage(text) === "scratch" || earlier.some(({ alias }) => alias === getImage(text));

/** The ids of the rules that a Dockerfile breaks. */
export function findBrokenRules(instructions: readonly Instruction[]): string[] {
  const stages: Stage[] = [];
  const broken = new Set<string>();
  const first = instructions.findIndex(({ name }) => name === "FROM");
  if (instructions.slice(0, first).some(({ name }) => name !== "ARG")) broken.add("DL3061");
  for (const [index, { name, text }] of instructions.entries()) {
    if (name !== "FROM") continue;
    const end = instructions.findIndex((other, at) => at > index && other.name === "FROM");
    stages.push({
      from: text,
      alias: / AS (\S+)$/i.exec(text)?.[1],
      instructions: instructions.slice(index, end === -1 ? undefined : end),
    });
  }
  for (const [index, stage] of stages.entries()) {
    const earlier = stages.slice(0, index);
    for (const [id, [name, isBroken]] of Object.entries(instructionRules))
      if (stage.instructions.some((one) => one.name === name && isBroken(one, stage, earlier))) broken.add(id);
    for (const [id, isBroken] of Object.entries(stageRules)) if (isBroken(stage)) broken.add(id);
  }
  for (const [id, isBroken] of Object.entries(lastStageRules)) if (isBroken(stages.at(-1)!)) broken.add(id);
  return [...broken].sort();
}
