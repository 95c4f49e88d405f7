/** The main pages of a signed-in owner. `key` is pressed after `g`. */
export const rooms = [
  { path: "/", label: "Home", key: "h" },
  { path: "/explore", label: "Explore", key: "e" },
  { path: "/agents", label: "Agents", key: "a" },
  { path: "/activity", label: "Activity", key: "l" },
  { path: "/import", label: "Import", key: "i" },
  { path: "/settings", label: "Settings", key: "s" },
] as const;
export type Room = (typeof rooms)[number]["path"];
