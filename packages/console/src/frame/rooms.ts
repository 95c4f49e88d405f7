/** The main pages of a signed-in owner: first those to look at data, then those to manage it. `key` is pressed after `g`. */
export const rooms = [
  { path: "/", label: "Home", key: "h", group: "look" },
  { path: "/explore", label: "Explore", key: "e", group: "look" },
  { path: "/day", label: "Days", key: "d", group: "look" },
  { path: "/calendar", label: "Calendar", key: "c", group: "look" },
  { path: "/money", label: "Money", key: "m", group: "look" },
  { path: "/photos", label: "Photos", key: "p", group: "look" },
  { path: "/places", label: "Places", key: "w", group: "look" },
  { path: "/people", label: "People", key: "o", group: "look" },
  { path: "/sources", label: "Sources", key: "i", group: "manage" },
  { path: "/agents", label: "Agents", key: "a", group: "manage" },
  { path: "/activity", label: "Activity", key: "l", group: "manage" },
  { path: "/settings", label: "Settings", key: "s", group: "manage" },
] as const;
export type Room = (typeof rooms)[number]["path"];
export const roomGroups = ["look", "manage"] as const;
