import { detect } from "@pdpp/importers/plan";
import { answerTasks } from "#importers/core/workers/answer-tasks";
import { formats } from "#importers/formats/formats";
import { answers, createMemoryTree } from "../support.ts";

/** Reads files with all importers, in a process that can be ended. Answers how many items they gave. */
answerTasks(async (files: Readonly<Record<string, string>>): Promise<number> => {
  const { claims } = await detect(createMemoryTree(files, 0, 65_536), formats);
  let items = 0;
  for (const { importer, claim } of claims)
    for await (const item of importer.read(claim, answers)) if (item.kind !== "mark") items += 1;
  return items;
});
