import type { Command } from "commander";
import { addTopCommand, onRun } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { buildCompletionScript, shells } from "./completion-script.ts";

export function addCompletion(program: Command): void {
  const completion = addTopCommand(program, "completion <shell>", [
    'eval "$(pdpp completion bash)"',
    "pdpp completion zsh > ~/.zfunc/_pdpp",
    "pdpp completion fish > ~/.config/fish/completions/pdpp.fish",
  ]);
  onRun(completion, async ({ out }, shell: string) => {
    const known = shells.find((name) => name === shell);
    if (known === undefined) throw new UsageError(`unsupported shell ${shell}; choose one of: ${shells.join(", ")}`);
    const script = buildCompletionScript(program, known);
    out.result({ object: "completion", shell, script }, () => script.trimEnd());
  });
}
