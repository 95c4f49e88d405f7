/** The server's icon, shown by the console and by MCP hosts. */
export const iconPath = "/icon.svg";
