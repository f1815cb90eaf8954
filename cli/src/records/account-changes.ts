import type { Command } from 'commander'
import {
  openShell,
  printResult,
  type Shell,
  type ShellOptions,
  withShellOptions,
} from '../connection/shell.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { nounOf } from '../terminal/noun.ts'

interface DecisionOptions {
  readonly reason: string
  readonly yes?: boolean
}

type Word = 'apply' | 'dismiss'

const WORDS: Readonly<Record<Word, { readonly description: string; readonly question: string }>> = {
  apply: {
    description: 'give an external account the details that its bank reports',
    question: 'Pay the account with these details from now on?',
  },
  dismiss: {
    description: 'keep the details of an external account, and let payments begin again',
    question: 'Keep the details of the account?',
  },
}

/** Adds `countersign account-changes apply` and `dismiss`. */
export function addAccountChangeDecisions(program: Command): void {
  const changes = nounOf(program, 'account-changes', 'account details that banks report to be different')
  for (const word of ['apply', 'dismiss'] as const)
    withShellOptions(changes.command(`${word} <id>`).description(WORDS[word].description))
      .requiredOption('--reason <text>', 'why, for example who has confirmed it; kept with the change')
      .option('--yes', 'do not ask')
      .action(async (id: string, options: ShellOptions & DecisionOptions) =>
        decide(await openShell(options), id, word, options),
      )
}

async function decide(shell: Shell, id: string, word: Word, { reason, yes }: DecisionOptions): Promise<void> {
  const { accountChanges } = shell.countersign
  const { changes, externalAccountId } = await accountChanges.get(id)
  const lines = changes.map(({ field, before, after }) => `${field}: ${before ?? 'none'} → ${after}`)
  await confirmAction(`${externalAccountId}: ${lines.join(', ')}. ${WORDS[word].question}`, yes)
  const decided = await accountChanges[word](id, { reason })
  printResult(shell, decided, [
    decided.status === 'PENDING'
      ? 'Your vote is stored. Other members have to decide the same before it counts.'
      : `${id} of ${externalAccountId} is ${decided.status}.`,
  ])
}
