const loopback = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a server is on the computer that asks. */
export const isLoopback = (url: string): boolean => loopback.test(new URL(url).hostname);

/** Whether somebody who comes over the internet can reach it, as far as its address tells. */
export const isPublicUrl = (url: string): boolean => url.startsWith("https:") && !isLoopback(url);
