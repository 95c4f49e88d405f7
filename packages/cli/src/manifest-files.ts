import type { ConnectorDeclaration } from "@pdpp/contract/declaration";
import { type ManifestFault, ManifestInvalid, parseManifest } from "@pdpp/contract/manifest";
import { readJsonFile } from "./json-file.ts";

export interface FileFault extends ManifestFault {
  readonly file: string;
}

/** Every fault of every file: with several files to mend, one look is enough. */
export class ManifestsInvalid extends Error {
  override readonly name = "ManifestsInvalid";
  readonly faults: readonly FileFault[];

  constructor(faults: readonly FileFault[]) {
    const list = faults.map(({ file, path, message, code }) => `  ${file}: ${path}: ${message} (${code})`);
    super(
      ["the manifest is not valid, so nothing was registered; mend these and run the command again:", ...list].join(
        "\n",
      ),
    );
    this.faults = faults;
  }
}

export interface ManifestFile {
  readonly file: string;
  readonly declaration: ConnectorDeclaration;
}

export async function readManifests(files: readonly string[]): Promise<ManifestFile[]> {
  const faults: FileFault[] = [];
  const found: ManifestFile[] = [];
  for (const file of files) {
    const json = await readJsonFile(file);
    try {
      found.push({ file, declaration: parseManifest(json) });
    } catch (error) {
      if (!(error instanceof ManifestInvalid)) throw error;
      faults.push(...error.faults.map((fault) => ({ file, ...fault })));
    }
  }
  if (faults.length > 0) throw new ManifestsInvalid(faults);
  return found;
}
