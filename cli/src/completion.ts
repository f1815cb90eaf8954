import addTab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'

const NAME = 'completion'

const HELP = `
in ~/.bashrc:  source <(countersign completion bash)
in ~/.zshrc:   source <(countersign completion zsh)
in fish:       countersign completion fish > ~/.config/fish/completions/countersign.fish`

/**
 * Adds `countersign completion` and the hidden command `complete`, which shells call. Call this last: only
 * commands added earlier are completed.
 */
export function addCompletion(program: Command): void {
  addTab(program, { completionCommandName: NAME })
  program.commands
    .find((command) => command.name() === NAME)
    ?.description('print the completion script of a shell')
    .addHelpText('after', HELP)
}
