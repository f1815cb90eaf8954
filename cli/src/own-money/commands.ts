import { wordOf } from '@countersign/contract/core/objects'
import { WITHDRAWAL_SOURCES, type WithdrawalSource } from '@countersign/contract/operation/own-money'
import type { ItemOf } from '@countersign/sdk'
import type { Command } from 'commander'
import {
  openShell,
  printResult,
  type Shell,
  type ShellOptions,
  withShellOptions,
} from '../connection/shell.ts'
import { currencyOf, formatAmount, parseAmount } from '../terminal/amounts.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { nounOf } from '../terminal/noun.ts'
import { accountLines, keyLines, movementLines, withdrawalLines } from './words.ts'

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
  const noun = nounOf(program, 'own-money', "the operator's own fees and capital")
  const add = (usage: string, description: string) =>
    withShellOptions(noun.command(usage).description(description))
  add('accounts', 'list the registered accounts of the operator').action(async (options: ShellOptions) =>
    listAccounts(await openShell(options)),
  )
  add('register <external-account>', 'register an account that the operator holds itself')
    .requiredOption('--reason <text>', 'the reason; stored with the account')
    .option('--cold-storage', 'an address on a chain that the treasury there sends money to')
    .option('--sweep <source>', 'pay out daily: FEES, OWN_CAPITAL or ALL')
    .option('--minimum <amount>', 'the balance that a sweep leaves (default: 0)')
    .option('--time <time>', 'the time of the daily sweep (default: 18:00)')
    .option('--time-zone <zone>', 'such as Europe/Berlin (default: UTC)')
    .option('--needs-approval', 'a person must approve it first')
    .option('--yes', 'do not ask')
    .action(async (id: string, options: ShellOptions & RegisterOptions) =>
      register(await openShell(options), id, options),
    )
  add('withdrawals', 'list withdrawals and sweeps, the newest first').action(async (options: ShellOptions) =>
    listWithdrawals(await openShell(options)),
  )
  add('withdraw <own-account> <amount>', 'pay fees or own capital to an account of the operator')
    .requiredOption('--source <source>', 'FEES, OWN_CAPITAL or ALL')
    .requiredOption('--reason <text>', 'the reason; stored with the withdrawal')
    .option('--needs-approval', 'a person must approve it first')
    .option('--yes', 'do not ask')
    .action(async (id: string, amount: string, options: ShellOptions & WithdrawOptions) =>
      withdraw(await openShell(options), id, amount, options),
    )
  addTreasuryCommands(add)
  add('approve <id>', 'approve an account, a withdrawal, a movement or a key')
    .option('--yes', 'do not ask')
    .action(async (id: string, options: ShellOptions & { yes?: boolean }) => {
      await confirmAction(`Approve ${id}?`, options.yes)
      await decide(await openShell(options), id, 'approve')
    })
  add('cancel <id>', 'cancel a withdrawal, a movement or a key that waits, or remove an account')
    .option('--yes', 'do not ask')
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
    .option('--needs-approval', 'a person must approve it first')
    .option('--yes', 'do not ask')
    .action(async (id: string, amount: string, options: ShellOptions & MoveOptions) =>
      move(await openShell(options), id, amount, options),
    )
  add('treasury-keys', 'list the keys that rotations have made, the newest first').action(
    async (options: ShellOptions) => listKeys(await openShell(options)),
  )
  add('rotate <rail>', 'give the treasury of a chain a new key, and send its money there')
    .requiredOption('--reason <text>', 'the reason; stored with the key')
    .option('--needs-approval', 'a person must approve it first')
    .option('--yes', 'do not ask')
    .action(async (rail: string, options: ShellOptions & MoveOptions) =>
      rotate(await openShell(options), rail, options),
    )
}

async function listAccounts(shell: Shell): Promise<void> {
  const accounts: ItemOf<'own_account_list'>[] = []
  for await (const account of shell.countersign.ownAccounts.list()) accounts.push(account)
  printResult(
    shell,
    accounts,
    accounts.length > 0 ? accounts.flatMap(accountLines) : ['No account is registered yet.'],
  )
}

async function listWithdrawals(shell: Shell): Promise<void> {
  const found: ItemOf<'platform_withdrawal_list'>[] = []
  for await (const withdrawal of shell.countersign.withdrawals.list()) found.push(withdrawal)
  printResult(
    shell,
    found,
    found.length > 0 ? found.flatMap(withdrawalLines) : ['Nothing was withdrawn yet.'],
  )
}

async function listMovements(shell: Shell): Promise<void> {
  const found: ItemOf<'treasury_movement_list'>[] = []
  for await (const movement of shell.countersign.treasuryMovements.list()) found.push(movement)
  printResult(shell, found, found.length > 0 ? found.flatMap(movementLines) : ['Nothing was moved yet.'])
}

async function move(
  shell: Shell,
  ownAccountId: string,
  text: string,
  { reason, needsApproval, yes }: MoveOptions,
): Promise<void> {
  const { currency, account, address } = await shell.countersign.ownAccounts.get(ownAccountId)
  const amount = readAmount(text, currency)
  await confirmAction(`Send ${formatAmount(amount, currencyOf(currency))} to ${address ?? account}?`, yes)
  const movement = await shell.countersign.treasuryMovements.create({
    ownAccountId,
    amount,
    reason,
    ...(needsApproval ? { needsApproval: true } : {}),
  })
  printResult(shell, movement, movementLines(movement))
}

async function listKeys(shell: Shell): Promise<void> {
  const found: ItemOf<'treasury_key_list'>[] = []
  for await (const key of shell.countersign.treasuryKeys.list()) found.push(key)
  printResult(shell, found, found.length > 0 ? found.flatMap(keyLines) : ['No key was rotated yet.'])
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
  printResult(shell, key, keyLines(key))
}

async function register(shell: Shell, externalAccountId: string, options: RegisterOptions): Promise<void> {
  const { reason, coldStorage, sweep, minimum, time, timeZone } = options
  if (sweep === undefined && (minimum ?? time ?? timeZone) !== undefined)
    throw new Failure('--minimum, --time and --time-zone are options of --sweep.')
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
  printResult(shell, account, accountLines(account))
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
    `Pay ${formatAmount(amount, currencyOf(currency))} from ${source} to ${account}?`,
    options.yes,
  )
  const withdrawal = await shell.countersign.withdrawals.create({
    ownAccountId,
    source,
    amount,
    reason: options.reason,
    ...(options.needsApproval ? { needsApproval: true } : {}),
  })
  printResult(shell, withdrawal, withdrawalLines(withdrawal))
}

/** Approves or cancels the record with this id. The id's prefix says which kind of record it is. */
async function decide(shell: Shell, id: string, how: 'approve' | 'cancel'): Promise<void> {
  const { countersign } = shell
  if (id.startsWith('OwnAccount:')) {
    const account = await countersign.ownAccounts[how === 'approve' ? 'approve' : 'remove'](id)
    return printResult(shell, account, accountLines(account))
  }
  if (id.startsWith('TreasuryKey:')) {
    const key = await countersign.treasuryKeys[how](id)
    return printResult(shell, key, keyLines(key))
  }
  if (id.startsWith('TreasuryMovement:')) {
    const movement = await countersign.treasuryMovements[how](id)
    return printResult(shell, movement, movementLines(movement))
  }
  const withdrawal = await countersign.withdrawals[how](id)
  printResult(shell, withdrawal, withdrawalLines(withdrawal))
}

function readSource(text: string, option: string): WithdrawalSource {
  const source = wordOf(WITHDRAWAL_SOURCES, text.toUpperCase().replaceAll('-', '_'))
  if (source === undefined)
    throw new Failure(`${option} must be one of ${WITHDRAWAL_SOURCES.join(', ')}, not "${text}".`)
  return source
}

function readAmount(text: string, currency: string): bigint {
  const amount = parseAmount(text, currencyOf(currency))
  if (amount === undefined) throw new Failure(`An amount is like 25 or 25.00, in ${currency}, not "${text}".`)
  return amount
}
