import { describe, expect, it } from "vitest";
import { describePeer, findSocketUser, formatPeer } from "./peer.ts";

/** As Linux prints it on a little-endian machine. */
const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1DEF 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 53394 1 0
   1: 0100007F:1DEF 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 53395 1 0
   2: 0100007F:C350 0100007F:1DEF 01 00000000:00000000 00:00000000 00000000  1000        0 53396 1 0
   3: 0100007F:C351 0100007F:1DEF 06 00000000:00000000 00:00000000 00000000     0        0 0 1 0
   4: 00000000000000000000000001000000:C352 00000000000000000000000001000000:1DEF 01 0:0 0:0 0  1001 0 53397 1 0
   5: 0000000000000000FFFF00000100007F:C353 0000000000000000FFFF00000100007F:1DEF 01 0:0 0:0 0  1002 0 53398 1 0
`;

describe("the peer of a connection", () => {
  it("[WEB-3] is the user of the client's end", () => {
    const server = "127.0.0.1 7663";
    expect(findSocketUser(table, "127.0.0.1 50000", server)).toBe(1000);
    expect(findSocketUser(table, "0:0:0:0:0:0:0:1 50002", "0:0:0:0:0:0:0:1 7663")).toBe(1001);
    expect(findSocketUser(table, "127.0.0.1 50003", server)).toBe(1002);
  });

  it("[WEB-3] is nobody for a closed, unknown or unreadable connection", () => {
    expect(findSocketUser(table, "127.0.0.1 50001", "127.0.0.1 7663")).toBeUndefined();
    expect(findSocketUser(table, "127.0.0.1 50000", "127.0.0.1 7664")).toBeUndefined();
    expect(findSocketUser("", "127.0.0.1 50000", "127.0.0.1 7663")).toBeUndefined();
    expect(findSocketUser("x\n: zz:1 yy:2 01", "127.0.0.1 50000", "127.0.0.1 7663")).toBeUndefined();
  });

  it("[WEB-3] is an address elsewhere, and a network for IPv6", () => {
    expect(formatPeer(describePeer({ remoteAddress: "192.168.1.7" }))).toBe("192.168.1.7");
    expect(formatPeer(describePeer({ remoteAddress: "::ffff:192.168.1.7" }))).toBe("192.168.1.7");
    expect(formatPeer(describePeer({ remoteAddress: "2001:db8:1:2:3:4:5:6" }))).toBe("2001:db8:1:2::/64");
    expect(formatPeer(describePeer(undefined))).toBe("unknown");
  });
});
