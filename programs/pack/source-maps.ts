import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { Plugin } from "rolldown";

/** Source maps of our own modules only: with those of the dependencies the package would be twice as large. */
export const skipDependencies: Plugin = {
  name: "skip-dependencies-in-source-maps",
  transform(code, id) {
    return id.includes(`${sep}node_modules${sep}`) ? { code, map: { mappings: "" } } : undefined;
  },
};

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: unknown;
}

/** Leaves out the sources' texts, and names the sources by their path in the repository instead of on this machine. */
export function shortenSourceMaps(folder: string, root: string): void {
  for (const name of readdirSync(folder).filter((path) => path.endsWith(".mjs.map"))) {
    const file = join(folder, name);
    const { sourcesContent: _, ...map } = JSON.parse(readFileSync(file, "utf8")) as SourceMap;
    const sources = map.sources.map((path) => relative(root, resolve(folder, path)).split(sep).join("/"));
    writeFileSync(file, JSON.stringify({ ...map, sources }));
  }
}
