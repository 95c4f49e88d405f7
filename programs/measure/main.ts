import { parseArgs } from "node:util";
import { isTaskKey, taskKeys } from "../../tests/mcp/hosts/tasks.ts";
import { findCostProblems, formatCosts, measureCosts } from "./costs.ts";
import { findEvidenceProblems, formatEvidence, measureEvidence } from "./evidence.ts";
import { compareWithNaive, findNaiveProblems, formatNaiveFigures } from "./naive/compare.ts";

const usage = `npm run measure -- [options]

  --only PART    tasks (their cost), evidence (what a search shows) or naive (tasks next to naive servers)
  --task NAME    only this task: ${taskKeys.join(", ")}
  --misses       list answers that were found but not shown
  --json         print one JSON document`;

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    task: { type: "string" },
    only: { type: "string" },
    misses: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(usage);
  process.exit(0);
}
if (options.only !== undefined && !["tasks", "evidence", "naive"].includes(options.only))
  throw new Error("--only must be tasks, evidence or naive");
if (options.task !== undefined && !isTaskKey(options.task))
  throw new Error(`--task must be one of ${taskKeys.join(", ")}`);

const keys = options.task === undefined ? taskKeys : [options.task];
const isWanted = (part: string): boolean =>
  options.task === undefined ? (options.only ?? part) === part : part === "tasks";
const costs = isWanted("tasks") ? await measureCosts(keys) : undefined;
const evidence = isWanted("evidence") ? await measureEvidence() : undefined;
const naive = isWanted("naive") ? await compareWithNaive() : undefined;
const faults = [
  ...(costs ? findCostProblems(costs) : []),
  ...(evidence ? findEvidenceProblems(evidence) : []),
  ...(naive ? findNaiveProblems(naive) : []),
];

const lines = [
  ...(costs ? formatCosts(costs) : []),
  ...(evidence ? formatEvidence(evidence, options.misses) : []),
  ...(naive ? [formatNaiveFigures(naive)] : []),
  ...faults.map((fault) => `FAILED: ${fault}`),
];
console.log(options.json ? JSON.stringify({ ...costs, evidence, naive, faults }, null, 2) : lines.join("\n\n"));
if (faults.length > 0) process.exitCode = 1;
