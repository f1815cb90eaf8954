import { progress } from '@clack/prompts'
import { seedSandbox } from '@countersign/sdk/testing'
import { given, timeOf } from '../books/times.ts'
import { currencyOf, formatAmount, parseAmount } from '../terminal/amounts.ts'
import { confirmed } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { type Shell, say } from '../terminal/shell.ts'

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

/** A span of time such as `90s`, `6m` or `2d`, in seconds. Throws Failure. */
export function readSpan(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? []
  if (count === undefined)
    throw new Failure(`--advance takes a span of time such as 90s, 6m, 2h, 3d or 1w, not "${text}".`)
  return Number(count) * UNIT_SECONDS[unit]!
}

/** `countersign sandbox clock` */
export async function moveClock(
  shell: Shell,
  { advance, to }: { readonly advance?: number; readonly to?: string },
): Promise<void> {
  const { sandbox } = shell.countersign
  if (advance !== undefined && to !== undefined) throw new Failure('Give --advance or --to, not both.')
  const isMoved = advance !== undefined || to !== undefined
  const clock = isMoved
    ? await sandbox.advanceClock(given({ seconds: advance, to: timeOf(to, '--to') }))
    : await sandbox.clock()
  say(shell, clock, [clock.now])
}

/** `countersign sandbox fund`. Throws Failure for an unknown account and for an amount that is none. */
export async function fundAccount(shell: Shell, accountId: string, text: string): Promise<void> {
  const { countersign } = shell
  const code = await currencyOfAccount(shell, accountId)
  const amount = parseAmount(text, currencyOf(code))
  if (amount === undefined || amount === 0n)
    throw new Failure(`The amount must be like 25 or 25.00, in ${code}, not "${text}".`)
  const account = await countersign.sandbox.fund(accountId, { amount })
  const { balance } = account
  say(shell, account, [`${accountId} has ${formatAmount(balance.amount, balance.currency)}.`])
}

async function currencyOfAccount({ countersign }: Shell, accountId: string): Promise<string> {
  for (const list of [countersign.platformInternalAccounts.list(), countersign.internalAccounts.list()])
    for await (const { id, balance } of list) if (id === accountId) return balance.currency.code
  throw new Failure(`There is no account ${accountId}.`)
}

/** `countersign sandbox inbox`: the newest messages, the newest last. */
export async function readInbox(shell: Shell, to: string | undefined): Promise<void> {
  const { data } = await shell.countersign.sandbox.inbox({ ...given({ recipient: to }), limit: 20 })
  const lines = [...data].reverse().map(({ createdAt, channel, recipient, subject, text }) => {
    const words = [subject, text].filter((part) => part).join(': ')
    return `${createdAt}  ${channel}  ${recipient}  ${words.replace(/\s+/g, ' ').trim()}`
  })
  say(shell, data, lines.length > 0 ? lines : ['No message has been sent yet.'])
}

/** `countersign sandbox reset`: asks before, unless told to go ahead. */
export async function resetSandbox(shell: Shell, isYes: boolean | undefined): Promise<void> {
  await confirmed(`Remove everything on this platform of ${shell.baseUrl} for good?`, isYes)
  const answer = await shell.countersign.sandbox.reset()
  say(shell, answer, [`The platform is empty. It is ${answer.platformId} now, with the same tokens.`])
}

/** `countersign sandbox seed`: fills the platform with a data set, and shows how far it is. */
export async function seed(
  shell: Shell,
  options: { readonly customers?: number; readonly days?: number },
): Promise<void> {
  const isShown = !shell.isJson && process.stdout.isTTY
  const size = 100
  const bar = isShown ? progress({ max: size }) : undefined
  let shown = 0
  bar?.start('A data set to look at')
  try {
    const seeded = await seedSandbox(shell.countersign, {
      ...options,
      onProgress: ({ done, total, words }) => {
        const now = Math.floor((done / total) * size)
        bar?.advance(now - shown, words)
        shown = now
      },
    })
    bar?.stop('The data set is there')
    const { customerIds, days } = seeded
    say(shell, seeded, [`${customerIds.length} customers and ${days} days of payments were made.`])
  } catch (error) {
    bar?.error('not finished; what was made until now stays')
    throw error
  }
}

/** `countersign console` */
export async function openConsole(shell: Shell): Promise<void> {
  const link = await shell.countersign.sandbox.consoleLink()
  say(shell, link, [link.url])
}

/** A whole number that is not negative. Throws Failure. */
export function readCount(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Failure(`A number from 0 to 9999 is wanted, not "${text}".`)
  return Number(text)
}
