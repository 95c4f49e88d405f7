/** Descriptions of the purpose codes in the public registry. Other codes are arbitrary URIs. */
const words: ReadonlyMap<string, string> = new Map([
  ["https://pdpp.dev/purpose/personalization", "to tailor the app to you"],
  ["https://pdpp.dev/purpose/analytics", "to analyze your data and show you the results"],
  ["https://pdpp.dev/purpose/export", "to export data for your own use"],
  ["https://pdpp.dev/purpose/agent_context", "to give context to a personal AI agent"],
  ["https://pdpp.dev/purpose/ai_training", "to train AI models"],
  ["https://pdpp.dev/purpose/research", "for academic or market research"],
]);

export const describePurpose = (code: string): string | undefined => words.get(code);

/**
 * Whether data would be used to train AI models, which needs the owner's separate consent. Codes that merely resemble
 * the registered one count too: asking once too often does no harm.
 */
export const isTrainingPurpose = (code: string | undefined): boolean =>
  code !== undefined && /(^|[/:#?=])ai[_-]training\/?$/i.test(code.trim());
