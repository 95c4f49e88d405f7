import type { ManifestFault } from "@pdpp/contract/manifest";

export interface FileFault extends ManifestFault {
  readonly file: string;
}

/** Every fault of every file: with several files to mend, one look is enough. */
export class ManifestsInvalid extends Error {
  override readonly name = "ManifestsInvalid";
  readonly faults: readonly FileFault[];

  constructor(faults: readonly FileFault[]) {
    const list = faults.map(({ file, path, message, code }) => `  ${file}: ${path}: ${message} (${code})`);
    super(["the manifest is not valid; nothing was registered. Fix these and try again:", ...list].join("\n"));
    this.faults = faults;
  }
}
