import { html } from "hono/html";
import type { Html } from "./frame.ts";
import { rooms } from "./rooms.ts";

/** What can be done by a key. The script does it; the list tells it. */

interface Key {
  readonly keys: readonly string[];
  readonly does: string;
}

const keys: readonly Key[] = [
  { keys: ["/"], does: "Search" },
  { keys: ["j"], does: "Next item in a list" },
  { keys: ["k"], does: "Previous item" },
  { keys: ["o"], does: "Open the item (same as Enter)" },
  ...rooms.map(({ key, label }) => ({ keys: ["g", key], does: `Go to ${label}` })),
  { keys: ["?"], does: "Show keyboard shortcuts" },
  { keys: ["Esc"], does: "Close" },
];

export const keyList = (): Html =>
  html`<dl class="keys">${keys.map(({ keys: pressed, does }) => html`<div><dt>${pressed.map((key, i) => html`${i === 0 ? "" : " "}<kbd>${key}</kbd>`)}</dt><dd>${does}</dd></div>`)}</dl>`;

/** Opened by the script; whoever has none finds the list among the settings. */
export const keyDialog = (): Html =>
  html`<dialog id="key-list" aria-labelledby="key-list-title"><form method="dialog"><h2 id="key-list-title">Keyboard shortcuts</h2>${keyList()}<div class="buttons"><button>Close</button></div></form></dialog>`;
