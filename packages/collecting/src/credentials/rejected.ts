import { PdppError } from "@pdpp/contract/errors";

/** The provider refused what the source signs in with. Only the owner can help, by signing in again. */
export class CredentialsRejected extends PdppError {
  constructor(message: string) {
    super("authentication_error", message);
  }
}

/** The code of a run that it failed. */
export const rejectedCode = "credentials_rejected";
