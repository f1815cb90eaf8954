import { ExternalAccountCreateInfo } from '@countersign/contract/accounts/account-types'
import { decode } from '@countersign/contract/core/decode'
import type { Command } from 'commander'
import { openShell, printResult, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { ensureNounCommand } from '../terminal/noun.ts'

interface NewAccount {
  readonly currency: string
  readonly customer?: string
  readonly platform?: boolean
  readonly ownId?: string
}

const FIELDS = `
A field is NAME=VALUE, a field of the holder beneficiary.NAME=VALUE. See docs/account-types.md for all of them.

  countersign external-accounts create EUR_ACCOUNT --customer Customer:… --currency EUR \\
    iban=DE89370400440532013000 beneficiary.beneficiaryType=INDIVIDUAL beneficiary.fullName='Ada Lovelace' \\
    beneficiary.countryOfResidence=DE`

/** Adds `countersign external-accounts create`. */
export function addExternalAccountCreation(program: Command): void {
  const accounts = ensureNounCommand(program, 'external-accounts', EXTERNAL_ACCOUNTS)
  withShellOptions(
    accounts
      .command('create <account-type> <field...>')
      .description('add an external account of a customer or of the platform itself'),
  )
    .requiredOption('--currency <code>', 'its currency, such as EUR')
    .option('--customer <id>', 'the owner, Customer:…')
    .option('--platform', 'the platform owns it')
    .option('--own-id <text>', 'your own id for the account')
    .addHelpText('after', FIELDS)
    .action(async (type: string, fields: readonly string[], options: ShellOptions & NewAccount) => {
      const { currency, customer, platform, ownId } = options
      if ((customer === undefined) !== (platform === true))
        throw new Failure('An owner is required: --customer with an id, or --platform.')
      const accountInfo = decode(ExternalAccountCreateInfo, { accountType: type, ...parseFields(fields) })
      const shell = await openShell(options)
      const body = { currency, accountInfo, ...(ownId === undefined ? {} : { platformAccountId: ownId }) }
      const account =
        customer === undefined
          ? await shell.countersign.platformExternalAccounts.create(body)
          : await shell.countersign.externalAccounts.create({ ...body, customerId: customer })
      const owner = account.customerId ?? 'the platform'
      printResult(shell, account, [
        `${account.id} added: ${account.accountInfo.accountType} of ${owner} in ${currency}.`,
      ])
    })
}

export const EXTERNAL_ACCOUNTS = 'external accounts: at banks, at providers, on chains'

/**
 * Builds an object from `name=value` strings. `a.b=c` sets a field of a nested object. Throws Failure if a
 * string has another form or a field is given twice.
 */
export function parseFields(fields: readonly string[]): Readonly<Record<string, unknown>> {
  const flat = new Map<string, string>()
  for (const field of fields) {
    const [, name, value] = /^([A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z][A-Za-z0-9]*)*)=(.*)$/s.exec(field) ?? []
    if (name === undefined || value === undefined)
      throw new Failure(`A field has the form NAME=VALUE, not "${field}".`)
    if (flat.has(name)) throw new Failure(`${name} occurs twice.`)
    flat.set(name, value)
  }
  return nestFields([...flat].map(([name, value]) => [name.split('.'), value]))
}

type Field = readonly [path: readonly string[], value: string]

function nestFields(fields: readonly Field[]): Readonly<Record<string, unknown>> {
  const names = new Set(fields.flatMap(([[head]]) => head ?? []))
  return Object.fromEntries(
    [...names].map((head) => {
      const nested = fields.filter(([[first]]) => first === head)
      const [only] = nested
      if (nested.length === 1 && only?.[0].length === 1) return [head, only[1]]
      if (nested.some(([path]) => path.length === 1))
        throw new Failure(`${head} has both a value and its own fields.`)
      return [head, nestFields(nested.map(([[, ...tail], value]) => [tail, value]))]
    }),
  )
}
