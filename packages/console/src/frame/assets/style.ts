/** Styles of every page. */
export const style = `
:root { color-scheme: light dark; --ink: #1a2423; --soft: #566461; --paper: #fafbfa; --card: #ffffff; --line: #dde3e1; --edge: #7d8b88;
  --accent: #0f766e; --on-accent: #ffffff; --wash: #e4f2f0; --amber: #8a4b08; --amber-wash: #fdf1df; --red: #b3261e; --mark: #0f766e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eeec; --soft: #a0b1ad; --paper: #0b1215; --card: #111a1d; --line: #26353a;
  --edge: #6c7f7b; --accent: #5eead4; --on-accent: #06211d; --wash: #10302d; --amber: #fbc569; --amber-wash: #2a2010; --red: #ff9d94;
  --mark: #5eead4; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 28px; line-height: 1.25; margin: 0 0 12px; overflow-wrap: anywhere; }
h2 { font-size: 20px; line-height: 1.3; margin: 32px 0 8px; }
h3, h4 { font-size: 16px; margin: 16px 0 4px; }
p { margin: 8px 0; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: 3px; }
q { quotes: "“" "”"; }
code { font: 14px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
small, .soft { color: var(--soft); font-size: 14px; font-weight: 400; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--card); padding: 8px 12px; z-index: 2; }

.top { display: flex; align-items: center; gap: 8px 24px; padding: 0 24px; min-height: 56px; border-bottom: 1px solid var(--line); background: var(--card); }
.brand { font-weight: 650; display: inline-flex; align-items: center; gap: 8px; }
.mark { width: 14px; height: 14px; border-radius: 4px; background: var(--mark); }
main { max-width: 720px; margin: 0 auto; padding: 40px 24px 72px; }

button { font: inherit; font-weight: 500; border-radius: 6px; border: 1px solid var(--edge); padding: 9px 16px; background: var(--card);
  color: var(--ink); cursor: pointer; min-height: 44px; }
button:hover { border-color: var(--accent); color: var(--accent); }
button.yes { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button.yes:hover { color: var(--on-accent); filter: brightness(1.08); }
button.danger { color: var(--red); }
button.danger:hover { border-color: var(--red); color: var(--red); }
button.plain { border: 0; background: none; padding: 8px 0; font-weight: 400; color: var(--soft); }
.buttons { display: flex; flex-wrap: wrap; gap: 12px; margin-top: 24px; }
.decide { position: sticky; bottom: 0; background: var(--paper); padding: 16px 0; border-top: 1px solid var(--line); margin-top: 16px; }
.decide button { flex: 1 1 0; min-width: 14ch; }
input[type=date], select, input[type=text] { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge);
  border-radius: 6px; padding: 8px 10px; max-width: 100%; min-height: 40px; }
.attention { background: var(--amber-wash); color: var(--amber); border-radius: 6px; padding: 12px 16px; }
.done { background: var(--wash); border-radius: 6px; padding: 12px 16px; }

.letter { flex: none; width: 40px; height: 40px; border-radius: 8px; display: grid; place-items: center; font-weight: 650; }
.tint-0 { background: #dff1ee; color: #0b5f58; } .tint-1 { background: #e8ebfb; color: #3b46a3; } .tint-2 { background: #f6e6f3; color: #8a2f78; }
.tint-3 { background: #fbe9dc; color: #8a4310; } .tint-4 { background: #e6f0dc; color: #40621a; } .tint-5 { background: #e3eef8; color: #1f568a; }
@media (prefers-color-scheme: dark) { .tint-0 { background: #11332f; color: #7fe7d8; } .tint-1 { background: #20264a; color: #b4bdff; }
  .tint-2 { background: #3a1f35; color: #f2b2e4; } .tint-3 { background: #3b2415; color: #ffbf92; } .tint-4 { background: #24331a; color: #bfe392; }
  .tint-5 { background: #16304a; color: #a6d3ff; } }
.title { display: flex; gap: 16px; align-items: center; margin-bottom: 8px; }
.title h1 { margin: 0; }
.back { margin: 0 0 16px; font-size: 14px; }

.rows { list-style: none; margin: 24px 0; padding: 0; border-top: 1px solid var(--line); }
.rows li { display: flex; gap: 16px; padding: 16px 0; border-bottom: 1px solid var(--line); align-items: flex-start; }
.rows h2, .rows h3 { font-size: 16px; margin: 0; overflow-wrap: anywhere; }
.rows p { margin: 2px 0 0; }
.rows .about { flex: 1; min-width: 0; }
.rows .source { display: block; }
.quiet .letter { filter: grayscale(1); }
.here { background: var(--wash); color: var(--ink); font-size: 14px; font-weight: 400; border-radius: 999px; padding: 1px 10px; margin-left: 4px; white-space: nowrap; }
.card { border: 1px solid var(--line); border-radius: 6px; background: var(--card); padding: 16px; margin: 16px 0; overflow-wrap: anywhere; }
.card > :first-child { margin-top: 0; } .card > :last-child { margin-bottom: 0; }
.card h2 { font-size: 16px; margin: 0; }
.copy { display: block; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; user-select: all; }
dl { margin: 8px 0 0; }
dl > div { display: grid; grid-template-columns: 20ch 1fr; gap: 2px 16px; padding: 4px 0; }
dt { color: var(--soft); } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--accent); padding: 8px 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; line-height: 1.3; }
th { text-align: left; font-weight: 400; color: var(--soft); font-size: 14px; }
th, td { padding: 8px 16px 8px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; padding-right: 0; font-variant-numeric: tabular-nums; }

.source-row { display: grid; grid-template-columns: 176px 1fr; gap: 0 24px; border-top: 1px solid var(--line); padding: 16px 0; }
.source-row .name { display: flex; gap: 12px; align-items: center; align-self: start; min-height: 32px; }
.source-row .letter { width: 28px; height: 28px; border-radius: 6px; font-size: 14px; }
.source-row h2 { font-size: 16px; margin: 0; }
.source-row .what { min-width: 0; }
.stream + .stream { margin-top: 16px; } .stream h3 { margin-top: 8px; }
.inline { margin-left: 4px; }
.begin { margin: 24px 0 0; }
form.consent { margin-top: 24px; }
.not { background: var(--amber-wash); color: var(--amber); border-radius: 6px; padding: 12px 16px; margin: 8px 0 0; }
.changes { list-style: none; margin: 8px 0 0; padding: 0; }
.changes li { display: grid; grid-template-columns: 20px 1fr; padding: 2px 0; overflow-wrap: anywhere; }
.changes .more > :first-child { color: var(--accent); font-weight: 700; } .changes .less > :first-child { color: var(--red); font-weight: 700; }
.review { border-top: 1px solid var(--line); margin-top: 24px; }
.tick { display: grid; grid-template-columns: 20px 1fr; gap: 12px; padding: 6px 0; align-items: start; min-width: 0; cursor: pointer; }
.tick input { width: 20px; height: 20px; margin: 2px 0 0; accent-color: var(--accent); }
.tick span { min-width: 0; overflow-wrap: anywhere; }
.tick small { display: block; } .tick small.inline { display: inline; }
.row { display: flex; gap: 8px 24px; flex-wrap: wrap; align-items: baseline; }
.presets { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0 24px; }

@media (max-width: 560px) { main { padding: 24px 16px 64px; } h1 { font-size: 24px; } .top { padding: 0 16px; }
  .rows li { flex-wrap: wrap; gap: 12px; } .rows .letter { width: 32px; height: 32px; } .rows form { margin-left: 44px; width: 100%; }
  dl > div { grid-template-columns: 1fr; gap: 0; } .source-row { grid-template-columns: 1fr; gap: 4px; } .decide button { padding: 9px 8px; } }
@media print { .out, .buttons, .danger { display: none; } }
`;

export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="2" y="2" width="12" height="12" rx="3" fill="#0f766e"/><circle cx="8" cy="6.6" r="1.7" fill="#fff"/><path d="M7.2 7h1.6l.7 4h-3z" fill="#fff"/></svg>';
