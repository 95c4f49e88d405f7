import { PdppError } from "@pdpp/contract/errors";

/** Reads a form. One that cannot be parsed is the sender's mistake, not a bug. */
export async function readForm(request: { formData(): Promise<FormData> }): Promise<FormData> {
  try {
    return await request.formData();
  } catch (error) {
    if (error instanceof PdppError) throw error;
    throw new PdppError("invalid_request", "the form couldn't be read. Reload the page and try again");
  }
}
