// Writes docs/conformance.md from openspec/conformance.json, the specs and the test titles.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { conformanceFile, writeConformance } from "@pdpp/test-support/repository/conformance";

const file = new URL(`../${conformanceFile}`, import.meta.url);
const previous = existsSync(file) ? readFileSync(file, "utf8") : "";
const page = writeConformance(previous);
writeFileSync(file, page);
console.log(page === previous ? `${conformanceFile} is up to date.` : `${conformanceFile} was rewritten.`);
