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
    description: 'apply the account details that its bank reports',
    question: 'Pay the account with these details from now on?',
  },
  dismiss: {
    description: 'keep the details of an external account, and let payments begin again',
    question: 'Keep the details of the account?',
  },
}

/** Adds `countersign account-changes apply` and `dismiss`. */
export function addAccountChangeDecisions(program: Command): void {
  const changes = nounOf(program, 'account-changes', 'changes of account details that banks have reported')
  for (const word of ['apply', 'dismiss'] as const)
    withShellOptions(changes.command(`${word} <id>`).description(WORDS[word].description))
      .requiredOption(
        '--reason <text>',
        'the reason, for example who has confirmed it; stored with the change',
      )
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
      ? 'Your vote is stored. It counts once enough members have decided the same.'
      : `${id} of ${externalAccountId} is ${decided.status}.`,
  ])
}
