import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { agents } from "@pdpp/test-support/agents/agents";
import type { AgentRun } from "@pdpp/test-support/agents/run-agent";
import { runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { repository } from "@pdpp/test-support/repository/requirements";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Real agents install our files and show a passage to a scripted model. docs/releasing.md says how to install the agents. */

const installed = process.env.PDPP_AGENTS ?? "/nowhere";
const runner = fileURLToPath(new URL("../support/agents/run-agent.ts", import.meta.url));

/** A network with nothing but loopback, so that no agent can reach its maker, and every port is free. */
const isolate = [
  ...["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"],
  ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]),
  ...["sh", "-c", 'ip link set lo up; exec "$@"', "isolated"],
];
const canIsolate = spawnSync(isolate[0]!, [...isolate.slice(1), "true"]).status === 0;

const root = mkdtempSync(join(tmpdir(), "pdpp-agents-"));
const shelves = join(root, "shelves");
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("real agents (need PDPP_AGENTS, a folder where they are installed, and network namespaces)", () => {
  const isRunnable = canIsolate && existsSync(installed);
  beforeAll(async () => {
    if (!isRunnable) return;
    const made = await runProgram(process.execPath, [join(repository, "programs/shelves/main.ts"), "--into", shelves]);
    expect(made, made.stderr).toMatchObject({ code: 0 });
  });

  it.for(agents.map((agent) => [agent.name, agent] as const))(
    "[PKG-20] %s installs its file and shows a passage",
    async ([name, agent], context) => {
      const folder = join(installed, name);
      if (!isRunnable || !existsSync(join(folder, agent.file)))
        return context.skip(`PDPP_AGENTS/${name} needs npm install ${agent.package}`);
      const home = join(root, name);
      mkdirSync(home);
      const [program = "", ...args] = isolate;
      const ran = await runProgram(program, [...args, process.execPath, runner, name, folder, shelves, home]);
      expect(ran.code, ran.stderr).toBe(0);
      const { commands, tools, shown } = JSON.parse(ran.stdout) as AgentRun;
      for (const { command, code, output } of commands) expect(code, `${command}: ${output}`).toBe(0);
      expect(tools).toContainEqual(expect.stringMatching(/pdpp.*search$/));
      expect(shown).toContain("The <mark>gutter</mark> on the courtyard side never gets sun");
      expect(shown).toContain("cin_mail_ada/messages:");
    },
  );
});
