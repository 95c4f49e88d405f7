import { describe, expect, it } from "vitest";
import { isLocalOnly, isTrustedHost } from "./hosts.ts";

const policy = { publicUrl: "https://vault.example.org", allowedHosts: ["nas.lan"] };

describe("a host is trusted", () => {
  it.each([
    "http://localhost:7663",
    "http://pdpp.localhost",
    "http://127.0.0.1:7663",
    "http://127.9.9.9",
    "http://10.1.2.3",
    "http://172.16.0.1",
    "http://172.31.255.255",
    "http://192.168.0.10",
    "http://[::1]:7663",
    "http://[fd12:3456::1]",
    "http://[::ffff:192.168.0.10]",
    "https://vault.example.org",
    "http://nas.lan:8080",
  ])("%s", (url) => expect(isTrustedHost(new URL(url), policy)).toBe(true));

  it.each([
    "http://example.org",
    "http://localhost.example.org",
    "http://10.1.2.3.example.org",
    "http://172.32.0.1",
    "http://8.8.8.8",
    "http://[2001:db8::1]",
    "http://[::ffff:8.8.8.8]",
    "http://vault.example.org:8443",
  ])("not %s", (url) => expect(isTrustedHost(new URL(url), policy)).toBe(false));
});

describe("[CSL-33] a server is reached from its own computer alone", () => {
  it.each([
    ["localhost", {}, true],
    ["127.0.0.1", {}, true],
    ["::1", {}, true],
    ["127.0.0.1", { publicUrl: "http://localhost:7663" }, true],
    ["127.0.0.1", { publicUrl: "https://vault.example.org" }, false],
    ["127.0.0.1", { allowedHosts: ["vault.example.org"] }, false],
    ["0.0.0.0", {}, false],
    ["::", {}, false],
    ["192.168.1.4", {}, false],
    ["127.0.0.1.example.org", {}, false],
  ])("%s %j: %s", (host, policy, expected) => {
    expect(isLocalOnly(host, policy)).toBe(expected);
  });
});
