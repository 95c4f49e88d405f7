import type { ManifestIssue } from "@pdpp/contract/manifest";

export interface FileIssue extends ManifestIssue {
  readonly file: string;
}

/** Lists all problems of all files at once. */
export class ManifestsInvalid extends Error {
  override readonly name = "ManifestsInvalid";
  readonly faults: readonly FileIssue[];

  constructor(faults: readonly FileIssue[]) {
    const list = faults.map(({ file, path, message, code }) => `  ${file}: ${path}: ${message} (${code})`);
    super(["invalid manifest; nothing was registered. Fix these errors and try again:", ...list].join("\n"));
    this.faults = faults;
  }
}
