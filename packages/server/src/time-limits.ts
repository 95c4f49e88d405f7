/** Machines that are slow or busy can multiply all time limits: `PDPP_TIME_LIMIT_FACTOR=10`. */
const factor = Math.max(1, Number(process.env.PDPP_TIME_LIMIT_FACTOR) || 1);

export const scaleTimeLimit = (ms: number): number => ms * factor;
