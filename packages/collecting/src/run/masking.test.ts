import { describe, expect, it } from "vitest";
import { SecretMask } from "./masking.ts";

describe("SecretMask", () => {
  const secret = "p4ss/w?rd with späces";
  const mask = new SecretMask();
  mask.add(secret);

  it.each([
    ["as it is", secret],
    ["in JSON", JSON.stringify({ password: secret })],
    ["in a URL", `https://x.example/?password=${encodeURIComponent(secret)}`],
    ["in base64", Buffer.from(secret).toString("base64")],
  ])("[COL-60] finds a secret %s", (_form, text) => {
    expect(mask.isIn(`before ${text} after`)).toBe(true);
    expect(mask.clean(`before ${text} after`)).toMatch(/^before .*\[secret\].* after$/);
  });

  it.each(["a", "ab", "abc", "\0ada\0", "user=ada\u0001auth=Bearer "])(
    "[COL-60] finds a secret in the base64 of a longer text that begins with %j",
    (before) => {
      for (const encoding of ["base64", "base64url"] as const) {
        const sent = Buffer.from(`${before}${secret}\u0001\u0001`).toString(encoding);
        const cleaned = mask.clean(`AUTHENTICATE ${sent}`);
        expect(cleaned).toContain("[secret]");
        // The rest at both ends is too short to be useful.
        for (const part of cleaned.replace("AUTHENTICATE ", "").split("[secret]"))
          expect(Buffer.from(part, encoding).toString()).not.toContain(secret.slice(0, 4));
      }
    },
  );

  it("leaves ordinary words alone", () => {
    const short = new SecretMask();
    short.add("abc");
    short.add("sesame");
    expect(short.clean("abc is a base64 word: c2Vz")).toBe("abc is a base64 word: c2Vz");
  });
});
