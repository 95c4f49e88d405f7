// Lists the requirements that no test names. Exits with 1 if there are any, or if the ids in specs and tests do not match.
import { listFile, measureCoverage } from "@pdpp/test-support/repository/requirements";

const { requirements, untested, faults, comparedWithList } = measureCoverage();

if (!comparedWithList) console.log(`${listFile} not found; skipping the comparison with it.`);
for (const fault of faults) console.error(`error: ${fault}`);
console.log(`${requirements.length} requirements, ${requirements.length - untested.length} named by a test.`);
if (untested.length > 0) console.log(`${untested.length} without a test:`);
for (const { id, title } of untested) console.log(`  ${id}  ${title}`);
process.exitCode = untested.length + faults.length === 0 ? 0 : 1;
