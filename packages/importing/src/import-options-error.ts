/** The import cannot run with these options; the message says which to change. */
export class ImportOptionsError extends Error {
  override readonly name = "ImportOptionsError";
}
