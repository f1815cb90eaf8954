import { tableOf } from '../terminal/table.ts'
import { ask } from './ask-server.ts'

interface Line {
  readonly rail: string
  readonly kind: string
  readonly direction: string
  readonly accountTypes: readonly string[]
  readonly paymentRails?: readonly string[]
  readonly currencies: readonly string[]
  readonly now: string
}

interface Checked {
  readonly rail: string
  readonly ok: boolean
  readonly says: string
  /** For a chain: facts to monitor, by name and value. */
  readonly facts?: readonly (readonly [string, string])[]
}

/** `countersign rails list`: the routing table, first match. Gives the exit code. */
export async function listRails(options: { json?: boolean }): Promise<number> {
  return ask(['rails', 'list'], options.json ?? false, ({ data }: { readonly data: readonly Line[] }) =>
    tableOf(
      data.map(({ direction, accountTypes, paymentRails, currencies, rail, kind, now }) => [
        direction,
        currencies.join(','),
        accountTypes.join(','),
        paymentRails?.join(',') ?? 'any network',
        rail,
        kind,
        now,
      ]),
      'RAILS_FILE is not set, or has no rail: no money moves.',
    ),
  )
}

interface Retried {
  readonly rail: string
  readonly file: string
  readonly ok: boolean
  readonly says: string
}

/**
 * `countersign bank-files retry`: reads refused files again. Returns the exit code, 1 if a file is missing.
 */
export async function retryBankFiles(options: {
  rail?: string
  file?: string
  json?: boolean
}): Promise<number> {
  let isGood = true
  const exitCode = await ask(
    [
      ...['bank-files', 'retry'],
      ...(options.rail === undefined ? [] : ['--rail', options.rail]),
      ...(options.file === undefined ? [] : ['--file', options.file]),
    ],
    options.json ?? false,
    ({ data }: { readonly data: readonly Retried[] }) => {
      isGood = data.every(({ ok }) => ok)
      return tableOf(
        data.map(({ rail, file, ok, says }) => [ok ? 'ok' : 'fails', rail, file, says]),
        'No file of a bank was refused.',
      )
    },
  )
  return exitCode === 0 && !isGood ? 1 : exitCode
}

/** `countersign rails check`: tests each rail. Returns the exit code, 1 if one fails. */
export async function checkRails(options: { rail?: string; json?: boolean }): Promise<number> {
  let isGood = true
  const exitCode = await ask(
    ['rails', 'check', ...(options.rail === undefined ? [] : ['--rail', options.rail])],
    options.json ?? false,
    ({ data }: { readonly data: readonly Checked[] }) => {
      isGood = data.every(({ ok }) => ok)
      return tableOf(
        data.flatMap(({ rail, ok, says, facts = [] }) => [
          [ok ? 'ok' : 'fails', rail, says],
          ...facts.map(([name, value]) => ['', name, value]),
        ]),
        'RAILS_FILE is not set, or has no rail: no money moves.',
      )
    },
  )
  return exitCode === 0 && !isGood ? 1 : exitCode
}
