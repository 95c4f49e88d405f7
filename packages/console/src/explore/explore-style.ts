/** Styles of Explore: hits over time, totals, versions, and the agent's view. */
export const exploreStyle = `
.found { display: grid; grid-template-columns: minmax(0, 1fr) 208px; gap: 24px 48px; align-items: start; }
.found.both { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.found.both > .tool-output { position: sticky; top: 16px; } .found.both > .tool-output pre { max-height: calc(100vh - 160px); } .found.both > .tool-output h2 { margin-top: 0; }
.found.both > aside { grid-column: 1; display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr)); gap: 0 24px; border-top: 1px solid var(--line); }
aside > div:first-child h2 { margin-top: 8px; } .found.both > aside h2 { margin-top: 8px; }
main:has(.found.both) { max-width: 1480px; }
aside .count { float: right; color: var(--soft); font-weight: 400; font-variant-numeric: tabular-nums; margin-left: 8px; }
.over-time { margin: 16px 0 8px; max-width: 880px; }
.linked-bars { list-style: none; display: flex; align-items: stretch; gap: 4px; height: 72px; margin: 0; padding: 0; }
.linked-bars li { flex: 1 1 0; min-width: 2px; position: relative; } .linked-bars a { display: block; height: 100%; border-radius: 3px; }
.linked-bars .chart { width: 100%; height: 100%; } .linked-bars a:hover .chart rect, .linked-bars a:focus-visible .chart rect { fill: var(--ink); } .linked-bars a:hover { background: var(--wash); }
.over-time .ends { width: auto; margin: 4px 0 0; } .over-time .values summary { font-size: 14px; padding: 4px 0; } .values table { width: auto; min-width: 240px; font-size: 14px; } .values th[scope=row] { font-size: 14px; }
.linked-bars:has(> li:nth-child(30)) { gap: 2px; }
.drawn { max-width: 240px; } .drawn:has(li:nth-child(5)) { max-width: 480px; } .drawn:has(li:nth-child(11)) { max-width: none; }
.hits .passage { white-space: normal; }
.go { font-weight: 600; }
.numbers { display: flex; flex-wrap: wrap; gap: 4px 24px; font-size: 14px; color: var(--soft); } .numbers strong { color: var(--ink); font-size: 20px; margin-left: 4px; }
.raw { margin: 8px 0 0 auto; display: flex; gap: 12px; flex-wrap: wrap; }
.versions { list-style: none; margin: 0; padding: 0; } .versions li { display: flex; flex-wrap: wrap; gap: 2px 12px; padding: 6px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
del { color: var(--red); text-decoration: line-through; } ins { color: var(--accent); text-decoration: underline; text-decoration-thickness: 2px; }
@media (max-width: 1000px) { .found.both { grid-template-columns: minmax(0, 1fr); } .found.both > .tool-output { position: static; } .found.both > .tool-output pre { max-height: 70vh; } .found.both > aside { grid-row: auto; } }
@media (max-width: 860px) { .found { grid-template-columns: minmax(0, 1fr); } }
@media print {
  .impersonating, .tool-output, .over-time, nav, .top, .skip, .raw, .from a { text-decoration: none; } .tool-output, .top, .raw, .over-time, .about-it { display: none; } .found, .found.both { display: block; }
  body { background: none; color: #000; font-size: 11pt; } main, main.wide { max-width: none; padding: 0; } .prose { max-width: none; } a { color: inherit; text-decoration: none; }
  .fields > div, .versions li, .related li { break-inside: avoid; } h1, h2, h3 { break-after: avoid; } .picture { max-height: 12cm; }
}
`;
