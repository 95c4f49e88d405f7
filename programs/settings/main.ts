import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../pack/root.ts";
import { updateSettings } from "./settings.ts";

/** `npm run settings` writes the table of options and variables into docs/operations.md. */

const file = join(root, "docs/operations.md");
writeFileSync(file, await updateSettings(readFileSync(file, "utf8")));
