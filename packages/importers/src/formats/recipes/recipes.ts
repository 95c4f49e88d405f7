import { readdirSync, readFileSync } from "node:fs";
import type { Importer } from "../../core/importer.ts";
import { createMappingImporter } from "../tables/mapping.ts";
import { parseMapping } from "../tables/mapping-file.ts";

/** Sources that export tables with known columns, one mapping file each. */
export function loadRecipes(): Importer[] {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".json"));
  return names
    .sort()
    .map((name) => createMappingImporter(parseMapping(readFileSync(`${import.meta.dirname}/${name}`, "utf8")), "3"));
}
