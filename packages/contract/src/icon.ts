/** The server's icon: the console shows it, and MCP hosts are told of it. */
export const iconPath = "/icon.svg";
