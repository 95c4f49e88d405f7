/** Styles of settings and confirmation forms. */
export const settingsStyle = `
a.button { display: inline-block; font-weight: 500; border: 1px solid var(--edge); border-radius: 6px; padding: 9px 16px; min-height: 44px; background: var(--card); color: var(--ink); text-decoration: none; }
a.button:hover { border-color: var(--accent); color: var(--accent); } a.button.yes { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
a.button.danger { color: var(--red); } a.button.danger:hover { border-color: var(--red); }
.jump { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 8px 0 0; padding: 0 0 16px; font-size: 14px; border-bottom: 1px solid var(--line); }
.setting { border-bottom: 1px solid var(--line); padding: 8px 0 24px; } .setting:last-of-type { border: 0; } .setting h2 { margin-top: 16px; scroll-margin-top: 16px; } .setting h3 { margin-top: 24px; } .setting .rows { margin: 16px 0; } .setting .buttons { margin-top: 12px; } .setting h2 + h3 { margin-top: 8px; }
.setting .rows h3, .setting .rows h4 { margin: 0; }
.facts > div { padding: 4px 0; } .facts dd { font-variant-numeric: tabular-nums; }
.plain-table { width: auto; min-width: min(100%, 420px); margin-top: 8px; } .plain-table .letter.small { width: 20px; height: 20px; border-radius: 5px; font-size: 12px; }
.plain-table a { color: var(--ink); text-decoration: none; } .plain-table a:hover { color: var(--accent); text-decoration: underline; } .plain-table tbody th { max-width: 48ch; overflow-wrap: anywhere; }
input[type=password] { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: 6px; padding: 8px 10px; max-width: 100%; min-height: 40px; }
.line label { max-width: 100%; } .line input[type=text] { width: 36ch; }
.line > a { align-self: center; }
.typed { margin-top: 24px; border-top: 1px solid var(--line); padding-top: 16px; } .typed input[type=text] { width: 100%; max-width: 40ch; margin-top: 4px; }
.fault { color: var(--red); font-size: 14px; } [aria-invalid=true] { border-color: var(--red); }
.beneath { display: block; } .bring { border: 1px dashed var(--edge); border-radius: 6px; padding: 20px 16px; margin: 24px 0 8px; text-align: center; color: var(--soft); }
.live { display: flex; gap: 16px; margin: 4px 0 0; } .narrow select { max-width: 240px; }
@media (max-width: 560px) { .line > button { width: 100%; } .narrow { display: grid; grid-template-columns: 1fr 1fr; } .narrow label, .narrow select { width: 100%; max-width: none; } }
`;
