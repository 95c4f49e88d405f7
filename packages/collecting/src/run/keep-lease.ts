import type { OwnerApi } from "@pdpp/contract/owner";
import { scaleTimeLimit } from "@pdpp/server/time-limits";

const leaseRenewalMs = 15_000;

/** Renews the lease of a run until it is stopped. Calls `onLost` if another run has taken it, or the vault cannot be written. */
export function keepLease({ sources }: OwnerApi, runId: string, onLost: (error: unknown) => void): { stop(): void } {
  const renewal = setInterval(() => void sources.renewLease(runId).catch(onLost), scaleTimeLimit(leaseRenewalMs));
  return { stop: () => clearInterval(renewal) };
}
