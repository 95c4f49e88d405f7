import type { TestProject } from "vitest/node";
import { buildExecutable, installPackage } from "../package/installed-package.ts";

const installers: Readonly<Record<string, typeof buildExecutable>> = {
  installed: installPackage,
  executable: buildExecutable,
};

/** With vitest's modes "installed" and "executable", tests that start pdpp start what people install instead of the sources. */
export default function install(project: TestProject): (() => void) | undefined {
  const installed = installers[project.config.env.PDPP_TEST_MODE ?? ""]?.();
  if (installed === undefined) return undefined;
  process.env.PDPP_TEST_PROGRAM = installed.program;
  process.env.PDPP_TEST_COMMAND = installed.args.length === 0 ? installed.command : "pdpp";
  return () => installed.remove();
}
