import { spawn } from "node:child_process";

const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
  linux: ["xdg-open"],
};

/** Opens an address where the person is looking, if there is a way to. The address is shown as well, so it may fail in silence. */
export function openBrowser(url: string): void {
  const [program, ...args] = openers[process.platform] ?? [];
  const noDisplay = process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
  if (program === undefined || noDisplay || !/^https?:\/\/[^\s"&|<>^]+$/.test(url)) return;
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
