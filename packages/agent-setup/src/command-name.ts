/** How people start pdpp in a clone of the repository. An installed package has its own version of this module. */
export const commandName = "npx pdpp";

/** Whether this is an installed package rather than a clone. */
export const isInstalled: boolean = false;
