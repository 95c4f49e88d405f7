import type { Json } from "@pdpp/contract/declaration";
import { z } from "zod";

/** The messages of the host, as far as our connectors read them. */

const json: z.ZodType<Json> = z.json();

export const startMessage = z.object({
  type: z.literal("START"),
  collection_mode: z.enum(["full_refresh", "incremental"]),
  scope: z.object({ streams: z.array(z.object({ name: z.string() })) }),
  state: z.record(z.string(), json).nullish(),
});
export type StartMessage = Readonly<z.infer<typeof startMessage>>;

/** The action that a failure asks of the owner or the host. */
export type RecoveryAction =
  | "retry_by_runtime"
  | "refresh_credentials"
  | "manual_action_required"
  | "upstream_unblock"
  | "not_retriable";

/** Ends the run with an error that the owner can understand. */
export class ConnectorFailure extends Error {
  override readonly name = "ConnectorFailure";
  readonly code: string;
  readonly recovery: RecoveryAction;

  constructor(code: string, message: string, recovery: RecoveryAction) {
    super(message);
    this.code = code;
    this.recovery = recovery;
  }
}
