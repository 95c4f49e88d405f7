import type { ConnectorDeclaration } from "@pdpp/contract/declaration";
import { InvalidManifestError, parseManifest } from "@pdpp/contract/manifest";
import { readJsonFile } from "./json-file.ts";
import { type FileIssue, ManifestsInvalid } from "./manifests-invalid.ts";

export interface ManifestFile {
  readonly file: string;
  readonly declaration: ConnectorDeclaration;
}

export async function readManifests(files: readonly string[]): Promise<ManifestFile[]> {
  const faults: FileIssue[] = [];
  const found: ManifestFile[] = [];
  for (const file of files) {
    const json = await readJsonFile(file);
    try {
      found.push({ file, declaration: parseManifest(json) });
    } catch (error) {
      if (!(error instanceof InvalidManifestError)) throw error;
      faults.push(...error.faults.map((fault) => ({ file, ...fault })));
    }
  }
  if (faults.length > 0) throw new ManifestsInvalid(faults);
  return found;
}
