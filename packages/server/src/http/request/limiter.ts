import { PdppError } from "@pdpp/contract/errors";

export function createRequestLimiter(most: number): (token: string) => () => void {
  const underWay = new Map<string, number>();
  return (token) => {
    const count = (underWay.get(token) ?? 0) + 1;
    if (count > most) {
      throw new PdppError("rate_limited", `this token already has ${most} requests running; wait until one ends`, {
        retry_after_seconds: 1,
      });
    }
    underWay.set(token, count);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const left = (underWay.get(token) ?? 1) - 1;
      if (left === 0) underWay.delete(token);
      else underWay.set(token, left);
    };
  };
}
