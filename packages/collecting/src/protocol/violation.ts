/** The connector broke the protocol. Its process is ended, and nothing it sends from then on is stored. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}
