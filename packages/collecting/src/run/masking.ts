/** Removes the secrets of a run from texts that are shown or stored. */
export class SecretMask {
  readonly #secrets = new Set<string>();

  /** Shorter values would also match ordinary words. */
  static readonly minChars = 6;

  add(value: string): void {
    if (value.length < SecretMask.minChars) return;
    this.#secrets.add(value);
    // As it looks within JSON, a URL or base64.
    this.#secrets.add(JSON.stringify(value).slice(1, -1));
    this.#secrets.add(encodeURIComponent(value));
    this.#secrets.add(Buffer.from(value).toString("base64").replace(/=+$/, ""));
    for (const encoded of encodeWithin(value)) this.#secrets.add(encoded);
  }

  isIn(text: string): boolean {
    return [...this.#secrets].some((secret) => text.includes(secret));
  }

  /** A short, printable text without secrets. */
  clean(text: string, maxChars = 500): string {
    let cleaned = text;
    for (const secret of [...this.#secrets].sort((a, b) => b.length - a.length))
      cleaned = cleaned.replaceAll(secret, "[secret]");
    return cleaned.toWellFormed().replaceAll("\0", "").slice(0, maxChars).toWellFormed();
  }
}

/** Encodes a value as it appears in the base64 of a longer text, such as a SASL response. */
function encodeWithin(value: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
    // The characters at both ends depend on the bytes next to the value, too.
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
    const encoded = (["base64", "base64url"] as const).map((form) => whole.toString(form).slice(offset === 0 ? 0 : 4));
    return encoded.filter(({ length }) => length >= minEncodedChars);
  });
}

/** Less would match ordinary words. */
const minEncodedChars = 8;
