import type { Command } from 'commander'
import {
  openShell,
  printResult,
  type Shell,
  type ShellOptions,
  withShellOptions,
} from '../connection/shell.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { ensureNounCommand } from '../terminal/noun.ts'

interface DecisionOptions {
  readonly reason: string
  readonly yes?: boolean
}

type Word = 'apply' | 'dismiss'

const WORDS: Readonly<Record<Word, { readonly description: string; readonly question: string }>> = {
  apply: {
    description: 'apply the account details reported by the bank',
    question: 'Use these details for payments from now on?',
  },
  dismiss: {
    description: 'keep the current details, and resume payments to the account',
    question: 'Keep the current details of the account?',
  },
}

/** Adds `countersign account-changes apply` and `dismiss`. */
export function addAccountChangeDecisions(program: Command): void {
  const changes = ensureNounCommand(
    program,
    'account-changes',
    'changes of account details that banks have reported',
  )
  for (const decision of ['apply', 'dismiss'] as const)
    withShellOptions(changes.command(`${decision} <id>`).description(WORDS[decision].description))
      .requiredOption(
        '--reason <text>',
        'the reason, for example who has confirmed it; stored with the change',
      )
      .option('--yes', 'skip the confirmation')
      .action(async (id: string, options: ShellOptions & DecisionOptions) =>
        decide(await openShell(options), id, decision, options),
      )
}

async function decide(
  shell: Shell,
  id: string,
  decision: Word,
  { reason, yes }: DecisionOptions,
): Promise<void> {
  const { accountChanges } = shell.countersign
  const { changes, externalAccountId } = await accountChanges.get(id)
  const lines = changes.map(({ field, before, after }) => `${field}: ${before ?? 'none'} → ${after}`)
  await confirmAction(`${externalAccountId}: ${lines.join(', ')}. ${WORDS[decision].question}`, yes)
  const change = await accountChanges[decision](id, { reason })
  printResult(shell, change, [
    change.status === 'PENDING'
      ? 'Your vote is recorded. The decision takes effect once enough members agree.'
      : `${id} of ${externalAccountId} is ${change.status}.`,
  ])
}
