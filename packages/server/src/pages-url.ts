/** Pages go by the name that browsers trust most: passkeys and cookies do not work by number. */
export const pagesUrl = (url: string): string =>
  url.replace(/\/+$/, "").replace(/^http:\/\/(127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?=:|$)/, "http://localhost");
