/** Styles of search results, records, tables and charts. */
export const consoleStyle = `
main.wide { max-width: 1120px; }
mark { background: #fde9a9; color: #2b2104; border-radius: 3px; padding: 0 2px; }
@media (prefers-color-scheme: dark) { mark { background: #6b5410; color: #fff3cf; } }
bdi { overflow-wrap: anywhere; }
h1 bdi, h2 bdi { display: inline; }

aside { font-size: 14px; } aside h2 { font-size: 14px; margin: 16px 0 4px; } aside h2:first-child { margin-top: 8px; }
aside ul { list-style: none; margin: 0 0 8px; padding: 0; }
aside li a { display: block; color: var(--ink); text-decoration: none; padding: 4px 8px; margin: 0 -8px; border-radius: 6px; overflow-wrap: anywhere; }
aside li a:hover { color: var(--accent); } aside li a[aria-current] { background: var(--wash); font-weight: 600; }
.dates { display: grid; gap: 8px; } .dates label { display: grid; gap: 2px; color: var(--soft); } .dates button, .line button, .columns button { min-height: 40px; padding: 6px 16px; }
.hits { list-style: none; margin: 16px 0 0; padding: 0; }
.hits li { border-top: 1px solid var(--line); padding: 16px 0; }
.hits h2 { font-size: 18px; margin: 4px 0; overflow-wrap: anywhere; } .hits h2 a { color: var(--ink); text-decoration: none; }
.hits h2 a:hover { color: var(--accent); text-decoration: underline; }
.from { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 6px; color: var(--soft); font-size: 14px; margin: 0 0 4px; } .from a { color: var(--soft); }
.letter.small { width: 20px; height: 20px; border-radius: 5px; font-size: 12px; margin-right: 2px; }
.passage { margin: 4px 0; max-width: 72ch; white-space: pre-line; unicode-bidi: isolate; }
.pages { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; margin: 24px 0; }
.pages a { font-weight: 600; padding: 8px 0; }
.note { margin: 4px 0; }

.text { margin: 16px 0 24px; } .text + .text { border-top: 1px solid var(--line); padding-top: 8px; }
.label { font-size: 14px; color: var(--soft); font-weight: 400; margin: 8px 0 4px; }
.prose { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; max-width: 72ch; }
.fields { border-top: 1px solid var(--line); margin-top: 16px; } .fields > div { border-bottom: 1px solid var(--line); padding: 8px 0; }
.fields details summary { padding: 0; } .long { white-space: pre-line; unicode-bidi: isolate; }
.on { white-space: nowrap; }
pre { font: 14px/1.5 ui-monospace, monospace; margin: 8px 0; padding: 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--card); white-space: pre-wrap;
  overflow-wrap: anywhere; max-height: 480px; overflow: auto; unicode-bidi: isolate; }
.picture { display: block; max-width: 100%; max-height: 560px; height: auto; border-radius: 6px; border: 1px solid var(--line); background: var(--card); }
.file p { margin: 4px 0 0; }
.related { list-style: none; margin: 4px 0 16px; padding: 0; } .related li { padding: 4px 0; overflow-wrap: anywhere; } .related .under { display: block; }

.chips { list-style: none; display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; padding: 0; font-size: 14px; }
.chips li { background: var(--wash); border-radius: 999px; padding: 3px 12px; overflow-wrap: anywhere; min-width: 0; }
.tools { display: flex; flex-wrap: wrap; gap: 0 24px; margin: 4px 0 12px; } .tools details[open] { flex-basis: 100%; }
.line { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: end; padding-bottom: 12px; } .line label { display: grid; gap: 2px; font-size: 14px; color: var(--soft); min-width: 0; }
.columns { display: grid; grid-template-columns: repeat(auto-fill, minmax(180px, 1fr)); gap: 4px 16px; padding-bottom: 12px; } .columns label { display: flex; gap: 8px; align-items: center; padding: 2px 0; min-width: 0; }
.columns input { width: 18px; height: 18px; accent-color: var(--accent); flex: none; } .columns button { justify-self: start; }
.records { font-size: 14px; } .records td { max-width: 40ch; overflow-wrap: break-word; padding: 8px 16px 8px 0; } .records bdi { overflow-wrap: inherit; } .records .number { padding-right: 16px; white-space: nowrap; }
.records time { white-space: nowrap; }

.chart { max-width: 100%; height: auto; display: block; } .chart rect { fill: var(--accent); } .chart .none { fill: var(--line); }
.sources { margin-top: 8px; } .sources td, .sources th { vertical-align: middle; padding: 10px 24px 10px 0; } .sources thead th { padding: 6px 24px 6px 0; } .sources tbody th, tbody th { font-weight: 400; text-align: left; color: var(--ink); font-size: 16px; }
.sources .number { padding-right: 24px; } .sources td { white-space: nowrap; } .named { display: flex; gap: 12px; align-items: center; } .named .letter { width: 28px; height: 28px; border-radius: 6px; font-size: 14px; }
.sources a { color: var(--ink); text-decoration: none; } .sources a:hover { color: var(--accent); text-decoration: underline; }
section.attention { margin: 16px 0; } .attention ul { list-style: none; margin: 0; padding: 0; } .attention li { padding: 2px 0; overflow-wrap: anywhere; } .attention a, .attention code { color: inherit; }
.readers bdi { overflow-wrap: break-word; } .readers .number { padding-right: 24px; } .readers { width: auto; min-width: min(100%, 640px); }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); gap: 0 24px; }
.ends { display: flex; justify-content: space-between; width: 480px; max-width: 100%; margin: 0 0 8px; }
.tabs { display: flex; flex-wrap: wrap; gap: 4px; margin: 0 0 16px; } .tabs a { color: var(--ink); text-decoration: none; padding: 6px 12px; border-radius: 999px; border: 1px solid var(--line); } .tabs a[aria-current] { background: var(--wash); border-color: transparent; font-weight: 600; }
.log { list-style: none; margin: 0; padding: 0; } .log li { display: grid; grid-template-columns: 56px 1fr; gap: 0 8px; padding: 6px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.log time { color: var(--soft); font-variant-numeric: tabular-nums; } .log a { color: var(--ink); font-weight: 600; text-decoration: none; } .log a:hover { text-decoration: underline; } .refused { color: var(--amber); }

.decide .button { flex: 1 1 0; min-width: 14ch; justify-content: center; text-align: center; }
.left-out .source { display: block; } dt, dd, .source, .tick span { unicode-bidi: isolate; } .card form { margin-top: 12px; } .card form button { min-height: 36px; padding: 4px 12px; font-size: 14px; }
.reads bdi { overflow-wrap: break-word; } .reads time { white-space: nowrap; }
.stack { display: grid; gap: 12px; } .stack label { display: grid; gap: 4px; } .stack input { width: 100%; }
.ways { margin: 8px 0; } .way { border-top: 1px solid var(--line); } .way ol { margin: 0 0 12px; padding-left: 20px; } .way li { padding: 4px 0; } pre.copy { margin: 4px 0; max-height: none; }

@media (max-width: 860px) { aside { border-top: 1px solid var(--line); } }
@media (max-width: 760px) { .sources thead { position: absolute; clip-path: inset(50%); } .sources tr { display: grid; grid-template-columns: 1fr auto; gap: 2px 16px; padding: 12px 0; border-bottom: 1px solid var(--line); }
  .sources td, .sources tbody th { border: 0; padding: 0; } .sources .bars { grid-column: 1 / -1; grid-row: 2; } .sources td[data-label] { font-size: 14px; color: var(--soft); } .sources .number { padding: 0; align-self: center; } .records { width: max-content; min-width: 100%; } .records td { max-width: 26ch; } }
@media (max-width: 420px) { .readers { font-size: 14px; } .readers .number { padding-right: 12px; } }
@media print { .search, aside, .tools, .pages { display: none; } }

.impersonating { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 24px; padding: 10px 16px; border-radius: 6px; background: var(--amber-wash); border: 1px solid var(--amber); color: var(--ink); }
.impersonating span { flex: 1 1 24ch; }
.tool-output pre { max-height: 70vh; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); border-radius: 6px; background: var(--card); padding: 16px; font: 14px/1.5 ui-monospace, monospace; }
a.button { display: inline-flex; align-items: center; border: 1px solid var(--edge); border-radius: 6px; padding: 9px 16px; min-height: 44px; color: var(--ink); background: var(--card); text-decoration: none; font-weight: 500; }
a.button:hover { border-color: var(--accent); color: var(--accent); }
`;
