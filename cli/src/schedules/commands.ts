import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { ensureNounCommand } from '../terminal/noun.ts'
import { changeSchedule, listOccurrences, skipPayment } from './change.ts'
import { type CreateOptions, createSchedule } from './create.ts'

const RULES = `
Rules:
  once:2030-01-31     on one day
  daily               on every day
  weekly:MON,THU      on these days of the week
  monthly:31          on this day of the month; a shorter month uses its last day

docs/scheduled-payments.md has examples.`

/** Adds a subcommand of `countersign schedules` with the common options. */
type Add = (usage: string, description: string) => Command

/** Adds the commands that create and change schedules. `list` and `get` are added elsewhere. */
export function addScheduleCommands(program: Command): void {
  const schedules = ensureNounCommand(program, 'schedules', 'scheduled and recurring payments')
  const add: Add = (usage, description) => withShellOptions(schedules.command(usage).description(description))
  addCreate(add)
  add('payments <schedule>', 'list the payments of a schedule, the newest first').action(
    async (id: string, options: ShellOptions) => listOccurrences(await openShell(options), id),
  )
  add('skip <schedule>', 'skip its next payment')
    .option('--date <date>', 'or its payment on this day, such as 2030-01-31')
    .action(async (id: string, options: ShellOptions & { date?: string }) =>
      skipPayment(await openShell(options), id, options.date),
    )
  add('pause <schedule>', 'pay nothing until it is resumed').action(
    async (id: string, options: ShellOptions) => changeSchedule(await openShell(options), id, 'pause'),
  )
  add('resume <schedule>', 'continue a paused schedule with its next date').action(
    async (id: string, options: ShellOptions) => changeSchedule(await openShell(options), id, 'resume'),
  )
  add('cancel <schedule>', 'end a schedule')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: ShellOptions & { yes?: boolean }) => {
      await confirmAction(`Cancel ${id} permanently?`, options.yes)
      await changeSchedule(await openShell(options), id, 'cancel')
    })
}

function addCreate(add: Add): void {
  add('create', 'schedule a payment, once you confirm')
    .requiredOption('--from <account>', 'the account that pays, InternalAccount:…')
    .requiredOption('--to <account>', 'the payee of the same owner, ExternalAccount:…')
    .requiredOption('--amount <amount>', 'the amount of each payment, such as 25.00')
    .requiredOption('--rule <rule>', 'the rule of the dates, such as monthly:31')
    .option('--name <text>', 'a display name for the schedule')
    .option('--remittance <text>', 'the remittance text sent with each payment')
    .option('--time <time>', 'the time of payment on its day (default: 09:00)')
    .option('--time-zone <zone>', 'such as Europe/Berlin (default: by the calendar)')
    .option('--business-days <word>', 'FOLLOWING, PRECEDING or NONE (default)')
    .option('--calendar <word>', 'TARGET, FEDERAL_RESERVE or WEEKDAYS (default: by the currency)')
    .option('--start <date>', 'the first possible date')
    .option('--end <date>', 'the last possible date')
    .option('--count <number>', 'the maximum number of payments')
    .option('--notice <hours>', 'the hours before each payment at which its event is sent (default: 24)')
    .option('--if-missed <word>', 'PAY (default) or SKIP, if the server is more than an hour late')
    .option('--needs-approval', 'require approval first')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', RULES)
    .action(async (options: ShellOptions & CreateOptions) =>
      createSchedule(await openShell(options), options),
    )
}
