import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Lists the skipped tests and the reasons at the end of a run: they must not look like passing tests. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests("skipped")]);
    // With -t, the other tests are skipped on purpose.
    if (skipped.length === 0 || process.argv.some((word) => /^(-t|--testNamePattern)/.test(word))) return;
    console.log(`${skipped.length} skipped:`);
    for (const test of skipped) console.log(`  ${test.module.relativeModuleId}: ${test.fullName} (${getReason(test)})`);
    console.log("");
  }
}

function getReason(test: TestCase): string {
  const result = test.result();
  const note = result.state === "skipped" ? result.note : undefined;
  return note ?? "see its title";
}
