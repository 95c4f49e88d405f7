import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile without continued lines. */
export const readDockerfile = (path: string): Instruction[] => parseDockerfile(readFileSync(path, "utf8"));

export const parseDockerfile = (source: string): Instruction[] =>
  source
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => {
      const [name = "", ...words] = line.split(" ");
      return { name, text: words.join(" ") };
    });

/** The words of an instruction in JSON form. */
export const readWords = (instructions: readonly Instruction[], name: string): string[] => {
  const text = instructions.findLast((instruction) => instruction.name === name)?.text ?? "";
  return JSON.parse(text.slice(text.indexOf("["))) as string[];
};

/** Does what each stage does, in folders instead of images. Returns the folder that would be the root of the last stage. */
export function buildInFolders(instructions: readonly Instruction[], context: string, into: string): string {
  const stages = new Map<string, string>();
  let place = "";
  let folder = "/";
  for (const { name, text } of instructions) {
    if (name === "FROM") {
      const [image = "", , alias] = text.split(" ");
      place = join(into, alias ?? basename(image).replace(":", "-"));
      stages.set(alias ?? "", place);
      mkdirSync(place, { recursive: true });
    } else if (name === "WORKDIR") {
      folder = text;
      mkdirSync(join(place, folder), { recursive: true });
    } else if (name === "COPY" || name === "ADD") {
      const words = text.split(" ");
      const [source = "", target = ""] = words.filter((word) => !word.startsWith("--"));
      const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length);
      const files =
        from === undefined
          ? globSync(source, { cwd: context }).map((path) => join(context, path))
          : [join(stages.get(from)!, source)];
      if (files.length !== 1) throw new Error(`COPY ${source} finds ${files.length} files`);
      const destination = join(place, resolve(folder, target));
      mkdirSync(name === "ADD" ? destination : dirname(destination), { recursive: true });
      // ADD unpacks archives.
      if (name === "ADD") execFileSync("tar", ["-xzf", files[0]!, "-C", destination]);
      else cpSync(files[0]!, destination, { recursive: true });
    } else if (name === "RUN") {
      // Absolute paths are those of the stage.
      const script = text.replace(/(?<=\s)\/(?=\w)/g, `${place}/`);
      execFileSync("/bin/sh", ["-ec", script], { cwd: join(place, folder), stdio: ["ignore", "ignore", "inherit"] });
    }
  }
  return place;
}
