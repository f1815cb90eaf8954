import { spawn } from 'node:child_process'
import { ConnectorAccount } from '@countersign/contract/connectors/accounts'
import { readBody } from '@countersign/contract/connectors/reader'
import { type Static, Type } from 'typebox'

/**
 * Something that the kit cannot do through the protocol: a request to the connector's own control API, or a
 * shell command.
 */
const Hook = Type.Object(
  {
    request: Type.Optional(
      Type.Object({
        method: Type.Optional(Type.String()),
        /** Absolute, or relative to the connector's base URL. */
        url: Type.String(),
        body: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    ),
    command: Type.Optional(Type.String()),
  },
  { oneOf: [{ required: ['request'] }, { required: ['command'] }] },
)
export type Hook = Static<typeof Hook>

const account = Type.Optional(ConnectorAccount)

/**
 * The accounts and hooks with which the kit produces each outcome. Outcomes without an entry are not checked.
 */
export const Accounts = Type.Object({
  currency: Type.String({ pattern: '^[A-Z0-9]{3,5}$' }),
  /** The amount of a payment, in the smallest unit. */
  amount: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,12}$' })),
  /** Payments to it are delivered. */
  delivered: ConnectorAccount,
  /** Payments to it fail, immediately or later. */
  fails: account,
  /** Payments to it are delivered and later returned. */
  returned: account,
  /** Payments to it wait long enough to be canceled. */
  waits: account,
  /** Payments to it first get UNKNOWN as the response. */
  unknown: account,
  /** Money can be pulled from it. */
  payer: account,
  payerFails: account,
  payerReturned: account,
  nameChecks: Type.Optional(
    Type.Record(Type.String({ pattern: '^(?:MATCH|CLOSE_MATCH|NO_MATCH)$' }), ConnectorAccount),
  ),
  /** Pays `{amount}` of `{currency}` into `{depositAccountId}` or `{account}`, stating `{reference}`. */
  deposit: Type.Optional(Hook),
  /** Makes the payer's bank reverse the deposit `{depositId}`. */
  reverseDeposit: Type.Optional(Hook),
  /** Closes the day. If the response is JSON with a `date`, that is the closed day. */
  closeDay: Type.Optional(Hook),
  /** Kills the connector and restarts it with its stored data. */
  restart: Type.Optional(Hook),
})
export type Accounts = Static<typeof Accounts>

const toEuroAccount = (text: string) => ({
  accountType: 'EUR_ACCOUNT' as const,
  holderName: 'Ada Lovelace',
  account: { iban: text },
})

/** The example bank's accounts. The last three digits determine the outcome. */
export const EXAMPLE_BANK_ACCOUNTS: Accounts = {
  currency: 'EUR',
  delivered: toEuroAccount('DE89370400440532013000'),
  fails: toEuroAccount('DE78370400440532013101'),
  returned: toEuroAccount('DE94370400440532013104'),
  waits: toEuroAccount('DE67370400440532013105'),
  unknown: toEuroAccount('DE40370400440532013106'),
  payer: toEuroAccount('DE89370400440532013000'),
  payerFails: toEuroAccount('DE78370400440532013101'),
  payerReturned: toEuroAccount('DE94370400440532013104'),
  nameChecks: {
    MATCH: toEuroAccount('DE89370400440532013000'),
    NO_MATCH: toEuroAccount('DE02370400440532013111'),
    CLOSE_MATCH: toEuroAccount('DE72370400440532013112'),
  },
  deposit: {
    request: {
      url: '/bank/deposits',
      body: { account: '{depositAccountId}', amount: '{amount}', remittanceInformation: 'RF {reference}' },
    },
  },
  reverseDeposit: { request: { url: '/bank/deposits/{depositId}/reverse' } },
  closeDay: { request: { url: '/bank/days/close' } },
}

/** Parses an accounts file. Throws an error that describes the problem. */
export function parseAccounts(text: string): Accounts {
  const { value, fault } = readBody(Accounts, JSON.parse(text))
  if (fault !== undefined) throw new Error(`The accounts file is invalid: ${fault}.`)
  return value
}

export type TemplateValues = Readonly<Record<string, string>>

/** Runs a hook with its `{names}` filled in. Returns the request's response if it is JSON. */
export async function runHook(hook: Hook, base: string, values: TemplateValues = {}): Promise<unknown> {
  if (hook.command !== undefined) return runCommand(fillTemplate(hook.command, values))
  const { url, method = 'POST', body = {} } = hook.request!
  const address = /^https?:/.test(url) ? url : `${base.replace(/\/+$/, '')}${url}`
  const response = await fetch(fillTemplate(address, values), {
    method,
    headers: { 'content-type': 'application/json' },
    body: fillTemplate(JSON.stringify(body), values),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The hook ${url} returned ${response.status}: ${text.slice(0, 300)}`)
  return text.startsWith('{') ? JSON.parse(text) : undefined
}

function fillTemplate(text: string, values: TemplateValues): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

function runCommand(command: string): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: 'inherit' })
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0
        ? resolve(undefined)
        : reject(new Error(`The command "${command}" exited with code ${code}.`)),
    )
  })
}
