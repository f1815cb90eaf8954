import { type Static, type TProperties, Type } from 'typebox'
import { ACCOUNT_TYPES, type AccountTypeName } from '../accounts/account-types.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { PAYMENT_RAILS } from '../core/rails.ts'
import { Int64, OneOf, OneOfWords, Pattern, Tag } from '../core/schema.ts'

/** The file of the setting RAILS_FILE: the rails of a server in production, and what goes by which. */

const RAILS_MAX = 100
const HOLIDAYS_MAX = 1000

export const RAIL_DIRECTIONS = ['OUT', 'PULL', 'IN'] as const
export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const

/** The name of a rail: it stands in addresses, in the ledger and in metrics. */
export const RailName = Pattern('^[a-z0-9][a-z0-9-]{0,39}$', {
  maxLength: 40,
  inWords: '1 to 40 lower-case letters, digits and hyphens',
  description: 'Never changed once a payment has gone by it: payments, the ledger and statements keep it',
})

const Serves = Type.Object({
  direction: OneOfWords(
    RAIL_DIRECTIONS,
    'OUT: money is sent. PULL: money is pulled from an account elsewhere. IN: others pay in',
  ),
  accountTypes: Type.Array(OneOfWords(Object.keys(ACCOUNT_TYPES) as AccountTypeName[]), {
    minItems: 1,
    maxItems: 100,
    description: 'The types of the accounts at the other end; for IN, of the account to pay into',
  }),
  paymentRails: Type.Optional(
    Type.Array(OneOfWords(PAYMENT_RAILS), {
      minItems: 1,
      maxItems: 100,
      description: 'The networks that may be asked for. Left out: every network of these account types',
    }),
  ),
  currencies: Type.Array(CurrencyCode, { minItems: 1, maxItems: 100 }),
})

const Limit = Type.Object({
  currency: CurrencyCode,
  min: Type.Optional(Int64({ minimum: 1, description: 'The smallest payment, in the smallest unit' })),
  max: Type.Optional(Int64({ minimum: 1, description: 'The largest payment, in the smallest unit' })),
})

const clock = (description: string) =>
  Pattern('^(?:[01][0-9]|2[0-3]):[0-5][0-9]$', { maxLength: 5, inWords: 'a time like 16:30', description })

const Hours = Type.Object({
  timeZone: Pattern('^[A-Za-z0-9_+/-]{1,64}$', {
    maxLength: 64,
    inWords: 'a time zone like Europe/Berlin',
    description: 'The zone of the times, by its name in the IANA database',
  }),
  days: Type.Array(OneOfWords(WEEKDAYS), { minItems: 1, maxItems: 7, uniqueItems: true }),
  opensAt: clock('Payments are given to the rail from this time on'),
  cutOff: clock('and until this one; later ones wait for the next day that is open'),
  holidays: Type.Optional(
    Type.Array(
      Pattern('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', { maxLength: 10, inWords: 'a date like 2026-12-25' }),
      {
        maxItems: HOLIDAYS_MAX,
        description: 'Days on which it is closed',
      },
    ),
  ),
})

const Cost = Type.Object({
  currency: CurrencyCode,
  fixed: Type.Optional(Int64({ minimum: 0, description: 'For each payment, in the smallest unit' })),
  percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'Of the amount' })),
})

/** Where a secret is: never in the file itself. */
const EnvironmentReference = Type.Object({
  env: Pattern('^[A-Z][A-Z0-9_]{0,99}$', {
    maxLength: 100,
    inWords: 'the name of an environment variable like EXAMPLE_BANK_SECRET',
    description: 'The environment variable that has it',
  }),
})

const common = {
  name: RailName,
  platform: Type.Optional(Id('Platform', 'Whose rail it is. Left out: the oldest platform of the server')),
  isRetired: Type.Optional(
    Type.Boolean({
      description:
        'Takes nothing new. Payments that it was given before stay with it, so keep it in the file until they have ended',
    }),
  ),
  serves: Type.Array(Serves, { minItems: 1, maxItems: 100 }),
  limits: Type.Optional(
    Type.Array(Limit, {
      maxItems: 200,
      description: 'A payment beyond them goes to the next rail that serves it',
    }),
  ),
  hours: Type.Optional(Hours),
  costs: Type.Optional(
    Type.Array(Cost, {
      maxItems: 200,
      description: 'What the provider charges. Reconciliation expects it in the statement',
    }),
  ),
  lateDeposits: Type.Optional(
    OneOfWords(
      ['RETURN', 'CREDIT'],
      'Money for a quote that has ended: RETURN sends it back to its sender (the default), CREDIT puts it on the account of the customer',
    ),
  ),
} satisfies TProperties

export const HttpRail = Type.Object({
  kind: Tag('http'),
  ...common,
  url: Type.String({
    maxLength: 2000,
    description: 'The base address of the connector: https://, or http:// on this machine',
  }),
  secret: EnvironmentReference,
  timeoutSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60,
      description: 'How long a call may take before its outcome is unknown. 10 where left out',
    }),
  ),
})

export const RailEntry = OneOf('kind', [HttpRail])

export const RailsFile = Type.Object({
  $schema: Type.Optional(Type.String({ maxLength: 2000 })),
  rails: Type.Array(RailEntry, {
    maxItems: RAILS_MAX,
    description: 'The routing table: a payment goes to the first rail that serves it',
  }),
})

export type RailDirection = (typeof RAIL_DIRECTIONS)[number]
export type RailEntryValue = Static<typeof RailEntry>
export type HttpRailValue = Static<typeof HttpRail>
export type RailsFileValue = Static<typeof RailsFile>
