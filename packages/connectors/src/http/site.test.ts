import { describe, expect, it } from "vitest";
import { isPrivate, isSameSite } from "./site.ts";

const same = (home: string, target: string): boolean => isSameSite(new URL(home), new URL(target));

describe("credentials", () => {
  it("[COL-111] go to the same site, encrypted", () => {
    expect(same("https://caldav.example.com", "https://p34-caldav.example.com:443/x")).toBe(true);
    expect(same("https://example.com", "https://dav.example.com:8443")).toBe(true);
    expect(same("https://nas.example.com:5001", "https://nas.example.com:5006")).toBe(true);
    expect(same("https://example.com", "https://example.com.evil.net")).toBe(false);
    expect(same("https://example.com", "https://evilexample.com")).toBe(false);
    expect(same("https://ada.co.uk", "https://eve.co.uk")).toBe(false);
    expect(same("https://dav.ada.co.uk", "https://cal.ada.co.uk")).toBe(true);
    expect(same("https://example.com", "http://example.com")).toBe(false);
    expect(same("http://example.com", "http://example.com")).toBe(false);
    expect(same("http://example.com", "https://example.com")).toBe(false);
    expect(same("https://10.0.0.1", "https://10.0.0.2")).toBe(false);
    expect(same("https://com", "https://example.com")).toBe(false);
  });

  it("[COL-111] go unencrypted only to the same server on this machine", () => {
    expect(same("http://127.0.0.1:5232", "http://127.0.0.1:5232/x")).toBe(true);
    expect(same("http://[::1]:5232", "http://[::1]:5232/x")).toBe(true);
    expect(same("http://localhost:5232", "http://localhost:5233")).toBe(false);
    expect(same("http://127.0.0.1.evil.net", "http://127.0.0.1.evil.net")).toBe(false);
  });
});

describe("private addresses", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "192.168.1.1",
    "172.20.0.1",
    "169.254.169.254",
    "[::1]",
    "[fd00::1]",
    "localhost",
    "nas",
    "nas.local",
  ])("[COL-122] are known: %s", (host) => expect(isPrivate(new URL(`http://${host}/`))).toBe(true));
  it.each(["example.com", "8.8.8.8", "172.32.0.1", "[2606:4700::1]"])("[COL-122] are not %s", (host) =>
    expect(isPrivate(new URL(`http://${host}/`))).toBe(false),
  );
});
