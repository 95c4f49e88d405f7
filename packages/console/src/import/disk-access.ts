/** Whether an owner may name a path of the server's own disk: not remotely, and not when several owners share it. */
export type DiskAccess = "open" | "elsewhere" | "shared";

export const explainDiskAccess = (disk: Exclude<DiskAccess, "open">): string =>
  disk === "shared"
    ? "This vault has several owners, so paths on the server are disabled."
    : "This server accepts remote connections, so paths on it are disabled. Start it with --import-paths to enable them.";
