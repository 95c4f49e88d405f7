import { fileURLToPath } from "node:url";
import { runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { describe, expect, it } from "vitest";
import { type Figure, formatFigures, measureTask } from "../../../programs/measure/figure.ts";
import { hostClasses } from "./host-classes.ts";
import { tasks } from "./tasks.ts";

const script = fileURLToPath(new URL("../../../programs/measure/main.ts", import.meta.url));

describe("npm run measure", () => {
  it("[MEAS-1] reports tokens, calls, time and success of a task over MCP, REST and the command line", async () => {
    const { code, stdout, stderr } = await runProgram(process.execPath, [script, "--json", "--task", "image"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { figures, tokens_by } = JSON.parse(stdout) as { figures: Figure[]; tokens_by: string };
    expect(tokens_by).not.toBe("");
    expect(figures.map(({ surface }) => surface)).toEqual([
      ...hostClasses.map(({ name }) => `MCP ${name}`),
      "REST",
      "command line",
    ]);
    for (const figure of figures) {
      expect(figure).toMatchObject({ task: tasks.image.name, right: true });
      for (const value of [figure.calls, figure.chars, figure.tokens, figure.ms]) expect(value).toBeGreaterThan(0);
    }
  });

  it("[MEAS-1] counts a different answer and a missing one as wrong", async () => {
    const wrong = (await measureTask("MCP", "image", async () => "3 image/gif"))(["shown"]);
    const broken = (await measureTask("MCP", "image", () => Promise.reject(new Error("no such call"))))([]);
    expect([wrong.right, broken.right]).toEqual([false, false]);
    expect(broken.answer).toContain("no such call");
    expect(formatFigures([wrong])).toContain("WRONG");
  });
});
