import { getPriority, setPriority } from "node:os";

/** A third of the weight of a process of normal priority, where both want the same processor. */
const lowPriority = 5;

/** Lets other processes go before this one, or before the one given. A process may lower its priority but not raise it, so a lower one stays. */
export function lowerPriority(pid = 0): void {
  setPriority(pid, Math.max(getPriority(pid), lowPriority));
}
