const loopback = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether the server runs on this computer. */
export const isLoopback = (url: string): boolean => loopback.test(new URL(url).hostname);

/** Whether the address looks reachable from the internet. */
export const isPublicUrl = (url: string): boolean => url.startsWith("https:") && !isLoopback(url);
