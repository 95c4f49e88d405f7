// Loaded before a server starts: its clock is off by as many milliseconds as a file says.
import { readFileSync } from "node:fs";

const RealDate = Date;
const file = process.env.ATTACK_CLOCK_FILE ?? "";
let offset = 0;
let readAt = Number.NEGATIVE_INFINITY;

function readOffset() {
  const now = performance.now();
  if (now - readAt > 20) {
    readAt = now;
    offset = Number(readFileSync(file, "utf8"));
  }
  return offset;
}

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + readOffset());
    else super(...parts);
  }
  static now() {
    return RealDate.now() + readOffset();
  }
};
