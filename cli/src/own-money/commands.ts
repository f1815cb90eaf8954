import { findWord } from '@countersign/contract/core/objects'
import { WITHDRAWAL_SOURCES, type WithdrawalSource } from '@countersign/contract/operation/own-money'
import type { Command } from 'commander'
import {
  openShell,
  printList,
  printResult,
  type Shell,
  type ShellOptions,
  withShellOptions,
} from '../connection/shell.ts'
import { findCurrency, formatAmount, parseAmount } from '../terminal/amounts.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { ensureNounCommand } from '../terminal/noun.ts'
import { formatAccount, formatKey, formatMovement, formatWithdrawal } from './words.ts'

interface RegisterOptions {
  readonly reason: string
  readonly coldStorage?: boolean
  readonly sweep?: string
  readonly minimum?: string
  readonly time?: string
  readonly timeZone?: string
  readonly needsApproval?: boolean
  readonly yes?: boolean
}

interface WithdrawOptions extends MoveOptions {
  readonly source: string
}

interface MoveOptions {
  readonly reason: string
  readonly needsApproval?: boolean
  readonly yes?: boolean
}

/** Adds `countersign own-money …`. */
export function addOwnMoneyCommands(program: Command): void {
  const noun = ensureNounCommand(program, 'own-money', "the operator's own fees and capital")
  const add = (usage: string, description: string) =>
    withShellOptions(noun.command(usage).description(description))
  add('accounts', 'list the registered accounts of the operator').action(async (options: ShellOptions) =>
    listAccounts(await openShell(options)),
  )
  add('register <external-account>', 'register an account that the operator holds itself')
    .requiredOption('--reason <text>', 'the reason; stored with the account')
    .option('--cold-storage', 'an on-chain address that receives money from the treasury')
    .option('--sweep <source>', 'pay out daily: FEES, OWN_CAPITAL or ALL')
    .option('--minimum <amount>', 'the balance to leave after a sweep (default: 0)')
    .option('--time <time>', 'the time of the daily sweep (default: 18:00)')
    .option('--time-zone <zone>', 'such as Europe/Berlin (default: UTC)')
    .option('--needs-approval', 'require approval first')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: ShellOptions & RegisterOptions) =>
      register(await openShell(options), id, options),
    )
  add('withdrawals', 'list withdrawals and sweeps, the newest first').action(async (options: ShellOptions) =>
    listWithdrawals(await openShell(options)),
  )
  add('withdraw <own-account> <amount>', 'pay fees or own capital to an account of the operator')
    .requiredOption('--source <source>', 'FEES, OWN_CAPITAL or ALL')
    .requiredOption('--reason <text>', 'the reason; stored with the withdrawal')
    .option('--needs-approval', 'require approval first')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, amount: string, options: ShellOptions & WithdrawOptions) =>
      withdraw(await openShell(options), id, amount, options),
    )
  addTreasuryCommands(add)
  add('approve <id>', 'approve an account, a withdrawal, a movement or a key')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: ShellOptions & { yes?: boolean }) => {
      await confirmAction(`Approve ${id}?`, options.yes)
      await decide(await openShell(options), id, 'approve')
    })
  add('cancel <id>', 'cancel a pending withdrawal, movement or key, or remove an account')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: ShellOptions & { yes?: boolean }) => {
      await confirmAction(`End ${id}?`, options.yes)
      await decide(await openShell(options), id, 'cancel')
    })
}

function addTreasuryCommands(add: (usage: string, description: string) => Command): void {
  add('movements', 'list movements between treasuries and cold storage, the newest first').action(
    async (options: ShellOptions) => listMovements(await openShell(options)),
  )
  add('move <own-account> <amount>', 'send money of the treasury to cold storage')
    .requiredOption('--reason <text>', 'the reason; stored with the movement')
    .option('--needs-approval', 'require approval first')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, amount: string, options: ShellOptions & MoveOptions) =>
      move(await openShell(options), id, amount, options),
    )
  add('treasury-keys', 'list the keys created by rotations, newest first').action(
    async (options: ShellOptions) => listKeys(await openShell(options)),
  )
  add('rotate <rail>', 'rotate the key of the treasury on a chain, and move its money to the new address')
    .requiredOption('--reason <text>', 'the reason; stored with the key')
    .option('--needs-approval', 'require approval first')
    .option('--yes', 'skip the confirmation')
    .action(async (rail: string, options: ShellOptions & MoveOptions) =>
      rotate(await openShell(options), rail, options),
    )
}

function listAccounts(shell: Shell): Promise<void> {
  const list = shell.countersign.ownAccounts.list()
  return printList(shell, list, (items) => items.flatMap(formatAccount), 'No account is registered yet.')
}

function listWithdrawals(shell: Shell): Promise<void> {
  const list = shell.countersign.withdrawals.list()
  return printList(shell, list, (items) => items.flatMap(formatWithdrawal), 'No withdrawals yet.')
}

function listMovements(shell: Shell): Promise<void> {
  const list = shell.countersign.treasuryMovements.list()
  return printList(shell, list, (items) => items.flatMap(formatMovement), 'No movements yet.')
}

async function move(
  shell: Shell,
  ownAccountId: string,
  text: string,
  { reason, needsApproval, yes }: MoveOptions,
): Promise<void> {
  const { currency, account, address } = await shell.countersign.ownAccounts.get(ownAccountId)
  const amount = readAmount(text, currency)
  await confirmAction(`Send ${formatAmount(amount, findCurrency(currency))} to ${address ?? account}?`, yes)
  const movement = await shell.countersign.treasuryMovements.create({
    ownAccountId,
    amount,
    reason,
    ...(needsApproval ? { needsApproval: true } : {}),
  })
  printResult(shell, movement, formatMovement(movement))
}

function listKeys(shell: Shell): Promise<void> {
  const list = shell.countersign.treasuryKeys.list()
  return printList(shell, list, (items) => items.flatMap(formatKey), 'No key rotations yet.')
}

async function rotate(
  shell: Shell,
  rail: string,
  { reason, needsApproval, yes }: MoveOptions,
): Promise<void> {
  await confirmAction(`Rotate the key of the treasury of ${rail}?`, yes)
  const key = await shell.countersign.treasuryKeys.create({
    rail,
    reason,
    ...(needsApproval ? { needsApproval: true } : {}),
  })
  printResult(shell, key, formatKey(key))
}

async function register(shell: Shell, externalAccountId: string, options: RegisterOptions): Promise<void> {
  const { reason, coldStorage, sweep, minimum, time, timeZone } = options
  if (sweep === undefined && (minimum ?? time ?? timeZone) !== undefined)
    throw new Failure('--minimum, --time and --time-zone require --sweep.')
  const { currency } = await shell.countersign.platformExternalAccounts.get(externalAccountId)
  const rule =
    sweep === undefined
      ? undefined
      : {
          source: readSource(sweep, '--sweep'),
          ...(minimum === undefined ? {} : { minimum: readAmount(minimum, currency) }),
          ...(time === undefined ? {} : { time }),
          ...(timeZone === undefined ? {} : { timeZone }),
        }
  const purpose = coldStorage ? 'cold storage' : 'an account'
  await confirmAction(`Register ${externalAccountId} as ${purpose} of the operator?`, options.yes)
  const account = await shell.countersign.ownAccounts.create({
    externalAccountId,
    reason,
    ...(coldStorage ? { purpose: 'COLD_STORAGE' } : {}),
    ...(rule ? { sweep: rule } : {}),
    ...(options.needsApproval ? { needsApproval: true } : {}),
  })
  printResult(shell, account, formatAccount(account))
}

async function withdraw(
  shell: Shell,
  ownAccountId: string,
  text: string,
  options: WithdrawOptions,
): Promise<void> {
  const source = readSource(options.source, '--source')
  const { currency, account } = await shell.countersign.ownAccounts.get(ownAccountId)
  const amount = readAmount(text, currency)
  await confirmAction(
    `Pay ${formatAmount(amount, findCurrency(currency))} from ${source} to ${account}?`,
    options.yes,
  )
  const withdrawal = await shell.countersign.withdrawals.create({
    ownAccountId,
    source,
    amount,
    reason: options.reason,
    ...(options.needsApproval ? { needsApproval: true } : {}),
  })
  printResult(shell, withdrawal, formatWithdrawal(withdrawal))
}

/** Approves or cancels the record with this id. The id's prefix says which kind of record it is. */
async function decide(shell: Shell, id: string, decision: 'approve' | 'cancel'): Promise<void> {
  const { countersign } = shell
  if (id.startsWith('OwnAccount:')) {
    const account = await countersign.ownAccounts[decision === 'approve' ? 'approve' : 'remove'](id)
    return printResult(shell, account, formatAccount(account))
  }
  if (id.startsWith('TreasuryKey:')) {
    const key = await countersign.treasuryKeys[decision](id)
    return printResult(shell, key, formatKey(key))
  }
  if (id.startsWith('TreasuryMovement:')) {
    const movement = await countersign.treasuryMovements[decision](id)
    return printResult(shell, movement, formatMovement(movement))
  }
  const withdrawal = await countersign.withdrawals[decision](id)
  printResult(shell, withdrawal, formatWithdrawal(withdrawal))
}

function readSource(text: string, option: string): WithdrawalSource {
  const source = findWord(WITHDRAWAL_SOURCES, text.toUpperCase().replaceAll('-', '_'))
  if (source === undefined)
    throw new Failure(`${option} must be one of ${WITHDRAWAL_SOURCES.join(', ')}, not "${text}".`)
  return source
}

function readAmount(text: string, currency: string): bigint {
  const amount = parseAmount(text, findCurrency(currency))
  if (amount === undefined)
    throw new Failure(`The amount must be in ${currency}, such as 25 or 25.00, not "${text}".`)
  return amount
}
