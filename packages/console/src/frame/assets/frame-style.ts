/** Styles around every page of a signed-in owner: the top bar, the navigation and the shortcut list. */
export const frameStyle = `
.to-home { color: inherit; text-decoration: none; }
.search { position: relative; flex: 1 1 200px; max-width: 640px; }
.search kbd { position: absolute; right: 10px; top: 9px; pointer-events: none; }
.search:focus-within kbd { visibility: hidden; }
input[type=search] { font: inherit; width: 100%; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 6px; padding: 6px 40px 6px 12px; min-height: 40px; appearance: none; }
kbd { font: 14px/1.4 ui-monospace, monospace; color: var(--soft); background: var(--card); border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 4px; padding: 0 6px; }
.me { display: flex; align-items: center; gap: 0 16px; margin-left: auto; min-width: 0; }
.who { max-width: 24ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; }
.out { flex: none; }
.menu { display: none; }

.beside-rooms { display: grid; grid-template-columns: 184px minmax(0, 1fr); min-height: calc(100vh - 57px); }
.rooms { border-right: 1px solid var(--line); background: var(--card); padding: 20px 12px; }
.rooms nav { display: grid; gap: 2px; position: sticky; top: 20px; }
nav a { color: var(--soft); text-decoration: none; padding: 6px 12px; border-radius: 6px; }
nav a:hover { color: var(--accent); }
nav a[aria-current] { background: var(--wash); color: var(--ink); font-weight: 600; }
.beside-rooms main { max-width: 784px; margin: 0; padding: 28px 32px 32px; display: flow-root; }
.beside-rooms main.wide { max-width: 1184px; }
.zone { margin-top: 56px; }

dialog { color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 20px 24px; width: 400px; max-width: calc(100vw - 32px); box-shadow: 0 12px 40px #0006; }
dialog::backdrop { background: #0008; }
dialog h2 { margin: 0 0 8px; } dialog .buttons { margin-top: 16px; }
.keys > div { grid-template-columns: 72px 1fr; align-items: baseline; padding: 3px 0; } .keys dd { color: var(--ink); }

@media (max-width: 760px) {
  .top { gap: 8px 12px; padding: 8px 16px; } .me, .rooms { display: none; } .search kbd { display: none; } .search { flex-basis: 0; } input[type=search] { padding-right: 12px; }
  .beside-rooms { display: block; min-height: 0; } .beside-rooms main { padding: 24px 16px; }
  .menu { display: block; position: relative; } .menu summary { list-style: none; padding: 8px 4px; color: var(--ink); min-height: 40px; } .menu summary::-webkit-details-marker { display: none; }
  .menu summary::after { content: " ⌄"; color: var(--soft); }
  .sheet { position: absolute; right: 0; top: 44px; z-index: 3; width: 220px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 8px; box-shadow: 0 12px 32px #0004; }
  .sheet nav { display: grid; } .sheet nav a { padding: 10px 12px; color: var(--ink); } .sheet .who { display: block; border-top: 1px solid var(--line); margin-top: 8px; padding: 12px 12px 0; } .sheet .out { padding: 0 12px; }
  .keys > div { grid-template-columns: 72px 1fr; }
}
@media print { .rooms, .menu, .me, .zone { display: none; } .beside-rooms { display: block; } }
`;
