import type { Html } from "../frame.tsx";
import { rooms } from "../rooms.ts";
import { joinHtml } from "./parts.tsx";

/** Keyboard shortcuts: the script handles them, the list describes them. */

interface Key {
  readonly keys: readonly string[];
  readonly action: string;
}

const keys: readonly Key[] = [
  { keys: ["/"], action: "Search" },
  { keys: ["Ctrl", "K"], action: "Go to a page, source or agent (⌘ K on a Mac)" },
  { keys: ["j"], action: "Next item in a list" },
  { keys: ["k"], action: "Previous item" },
  { keys: ["o"], action: "Open the item (same as Enter)" },
  ...rooms.map(({ key, label }) => ({ keys: ["g", key], action: `Go to ${label}` })),
  { keys: ["?"], action: "Show keyboard shortcuts" },
  { keys: ["Esc"], action: "Close" },
];

export const renderKeyList = (): Html => (
  <dl class="keys">
    {keys.map(({ keys: pressed, action }) => (
      <div>
        <dt>
          {joinHtml(pressed, " ", (key) => (
            <kbd>{key}</kbd>
          ))}
        </dt>
        <dd>{action}</dd>
      </div>
    ))}
  </dl>
);

/** Opened by the script; without scripts the list is under Settings. */
export const renderKeyDialog = (): Html => (
  <dialog id="key-list" aria-labelledby="key-list-title">
    <form method="dialog">
      <h2 id="key-list-title">Keyboard shortcuts</h2>
      {renderKeyList()}
      <div class="buttons">
        <button>Close</button>
      </div>
    </form>
  </dialog>
);
