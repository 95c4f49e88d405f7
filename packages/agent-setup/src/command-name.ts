/** How people start pdpp in a clone of the repository. An installed package has its own version of this module. */
export const commandName = "npx pdpp";
