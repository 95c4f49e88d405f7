import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { transformSync } from "oxc-transform";

const ownFolder = new URL(".", import.meta.url).href;

/** Node strips types but leaves JSX alone, so the console compiles its own `.tsx` files as they are imported. */
export function compileJsxOnImport(): void {
  registerHooks({
    load(url, context, loadNext) {
      if (!url.startsWith(ownFolder) || !url.endsWith(".tsx")) return loadNext(url, context);
      const path = fileURLToPath(url);
      const { code, errors } = transformSync(path, readFileSync(path, "utf8"), {
        jsx: { runtime: "automatic", importSource: "hono/jsx" },
      });
      const [error] = errors;
      if (error !== undefined) throw new SyntaxError(`${path}: ${error.message}`);
      return { format: "module", source: code, shortCircuit: true };
    },
  });
}
