/** Styles of the import pages. */
export const importStyle = `
.drop { border: 2px dashed var(--edge); border-radius: 6px; padding: 24px; margin: 16px 0; background: var(--card); }
.drop.over { border-color: var(--accent); background: var(--wash); }
.drop label { display: block; margin-bottom: 12px; } .drop label strong { display: block; font-size: 20px; } .drop label span { color: var(--soft); }
.drop .buttons { margin-top: 16px; } .drop p:empty { margin: 0; } input[type=file] { font: inherit; max-width: 100%; }
input[type=file]::file-selector-button { font: inherit; font-weight: 500; border-radius: 6px; border: 1px solid var(--edge); padding: 8px 16px; margin-right: 12px; background: var(--card); color: var(--ink); cursor: pointer; }
.line.done { align-items: center; } .path label { flex: 1 1 320px; } .path input { width: 100%; }
progress { width: 100%; max-width: 480px; height: 12px; accent-color: var(--accent); }
.imports .unit { display: none; } .imports tbody th { min-width: 20ch; } .imports .number { padding-right: 16px; } .imports td { white-space: nowrap; }
.tally { width: auto; min-width: min(100%, 560px); } .tally .number { padding-right: 24px; } .tally td { white-space: nowrap; } .tally tbody th { min-width: 16ch; font-size: 16px; }
.tally th[scope=rowgroup] { padding-top: 16px; font-weight: 600; } .tally th[scope=rowgroup] .soft { font-weight: 400; } .tally tbody th[scope=row] { padding-left: 12px; } .tally .refused { color: var(--amber); }
.left, ol.aside { margin: 4px 0 12px; padding-left: 24px; } .left li { padding: 2px 0; overflow-wrap: anywhere; } ol.aside > li { padding: 6px 0; } ol.aside p { margin: 0; } ol.aside summary { padding: 2px 0; }
.ask { margin: 16px 0; } .ask select, .ask input { margin-top: 4px; min-width: min(100%, 280px); } .ask .soft { display: block; margin-top: 4px; }
.plan .buttons { max-width: 720px; } .part { border-top: 1px solid var(--line); margin-top: 24px; } .part h2 { margin: 16px 0 0; } .part > p { margin: 0 0 8px; }
@media (max-width: 760px) { .imports thead { position: absolute; clip-path: inset(50%); } .imports tr { display: flex; flex-wrap: wrap; gap: 0 12px; padding: 10px 0; border-bottom: 1px solid var(--line); }
  .tally td { white-space: normal; } .tally .number { padding-right: 12px; } .tally tbody th { min-width: 12ch; }
  .imports td, .imports tbody th { border: 0; padding: 0; } .imports tbody th { flex-basis: 100%; } .imports td { font-size: 14px; color: var(--soft); } .imports .unit { display: inline; } .imports .number { padding: 0; } }
`;
