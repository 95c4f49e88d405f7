/** How people start pdpp in a clone of the repository. `installed-command-name.ts` replaces this module in an installed package. */
export const commandName = "npx pdpp";

/** Starts the demo with options after it. */
export const demoCommand = "npm start --";

/** Whether this is an installed package rather than a clone. */
export const isInstalled: boolean = false;
