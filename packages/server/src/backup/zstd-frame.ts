import { damagedBackupError } from "./format.ts";

/**
 * Passes on the bytes of one zstd frame (RFC 8878), and throws if anything follows it. A decompressor ignores what follows, and skips
 * frames without contents. One empty frame may follow, because Node's compressor ends a stream with one.
 */
export async function* requireOneFrame(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const steps = walkFrames();
  let step = steps.next();
  // The bytes the current step still needs, and those it has.
  let left = step.done ? 0 : step.value.bytes;
  let held: number[] = [];
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      if (step.done) throw createTrailingBytesError();
      const taken = Math.min(left, chunk.length - at);
      if (step.value.isRead) held.push(...chunk.subarray(at, at + taken));
      at += taken;
      left -= taken;
      while (!step.done && left === 0) {
        step = steps.next(held);
        held = [];
        left = step.done ? 0 : step.value.bytes;
      }
    }
    yield chunk;
  }
  // The decompressor reports a first frame that ends early.
  if (step.done || !step.value.isTrailing || held.length === 0) return;
  throw startsFrame(held) ? damagedBackupError("is truncated") : createTrailingBytesError();
}

/** Whether these bytes can be the beginning of the empty frame. */
const startsFrame = (bytes: readonly number[]): boolean =>
  Buffer.from(bytes.slice(0, magicBytes)).equals(magic.subarray(0, Math.min(bytes.length, magicBytes)));

const createTrailingBytesError = () => damagedBackupError("has been changed: bytes follow its end");

interface Step {
  readonly bytes: number;
  /** Otherwise the bytes are only counted. */
  readonly isRead: boolean;
  readonly isTrailing?: boolean;
}

const read = (bytes: number): Step => ({ bytes, isRead: true });
const skip = (bytes: number): Step => ({ bytes, isRead: false });

const magic = Buffer.from("28b52ffd", "hex");
const magicBytes = magic.length;
const blockHeaderBytes = 3;
const checksumBytes = 4;
const dictionaryIdBytes = [0, 1, 2, 4];
const contentSizeBytes = [0, 2, 4, 8];
const runLengthBlock = 1;

const emptyFrame = /^28b52ffd(04..|2400)01000099e9d851$/;
const emptyFrameBytes = 13;

/** Asks for the parts of a frame in order, and for an empty frame after it. */
function* walkFrames(): Generator<Step, void, readonly number[]> {
  yield* walkFrame();
  const trailing = yield { bytes: emptyFrameBytes, isRead: true, isTrailing: true };
  if (!emptyFrame.test(Buffer.from(trailing).toString("hex"))) throw createTrailingBytesError();
}

function* walkFrame(): Generator<Step, void, readonly number[]> {
  yield skip(magicBytes);
  const [descriptor = 0] = yield read(1);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const hasChecksum = (descriptor & 0x04) !== 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 && isSingleSegment ? 1 : (contentSizeBytes[sizeFlag] ?? 0);
  yield skip((isSingleSegment ? 0 : 1) + (dictionaryIdBytes[descriptor & 0x03] ?? 0) + sizeBytes);
  for (let isLast = false; !isLast; ) {
    const [low = 0, middle = 0, high = 0] = yield read(blockHeaderBytes);
    const header = low | (middle << 8) | (high << 16);
    isLast = (header & 1) === 1;
    yield skip(((header >> 1) & 0x03) === runLengthBlock ? 1 : header >> 3);
  }
  if (hasChecksum) yield skip(checksumBytes);
}
