/** Replaces loopback numbers with `localhost`: passkeys and cookies need a name. */
export const toPagesUrl = (url: string): string =>
  url.replace(/\/+$/, "").replace(/^http:\/\/(127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?=:|$)/, "http://localhost");
