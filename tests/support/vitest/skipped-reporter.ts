import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Ends a run with what was not run, and why: a skipped test proves nothing, and nobody should think it does. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests("skipped")]);
    // A name given with -t leaves out the others on purpose.
    if (skipped.length === 0 || process.argv.some((word) => /^(-t|--testNamePattern)/.test(word))) return;
    console.log(`${skipped.length} skipped:`);
    for (const test of skipped) console.log(`  ${test.module.relativeModuleId}: ${test.fullName} (${reasonOf(test)})`);
    console.log("");
  }
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  const note = result.state === "skipped" ? result.note : undefined;
  return note ?? "its title says why";
}
