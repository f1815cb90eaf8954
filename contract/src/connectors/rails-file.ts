import { type Static, type TProperties, Type } from 'typebox'
import { ACCOUNT_TYPES } from '../accounts/account-types.ts'
import { EVM_NETWORKS } from '../core/evm.ts'
import { CurrencyCode, TimeOfDay, TimeZoneName, WEEKDAYS } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { keysOf } from '../core/objects.ts'
import { PAYMENT_RAILS } from '../core/rails.ts'
import { Int64, OneOf, OneOfWords, Pattern, Tag } from '../core/schema.ts'
import {
  AchFormat,
  BacsFormat,
  EnvironmentReference,
  FasterPaymentsFormat,
  line,
  SepaFormat,
  STATEMENT_FORMATS,
  WireFormat,
} from './bank-formats.ts'
import { EvmFees, LowWater } from './evm-settings.ts'
import { Acknowledgements, FileNames, Markers, Pgp } from './file-exchange.ts'

/**
 * The file named by the setting RAILS_FILE: a production server's rails, and which payments use each rail.
 */

const RAILS_MAX = 100
const HOLIDAYS_MAX = 1000

export const RAIL_DIRECTIONS = ['OUT', 'PULL', 'IN'] as const

/** A rail's name, which appears in URLs, in the ledger and in metrics. */
export const RailName = Pattern('^[a-z0-9][a-z0-9-]{0,39}$', {
  maxLength: 40,
  patternText: '1 to 40 lower-case letters, digits and hyphens',
  description:
    'Do not change it once the rail has carried a payment: payments, the ledger and statements keep it',
})

const Serves = Type.Object({
  direction: OneOfWords(
    RAIL_DIRECTIONS,
    'OUT: money is sent. PULL: money is pulled from an account elsewhere. IN: others pay in',
  ),
  accountTypes: Type.Array(OneOfWords(keysOf(ACCOUNT_TYPES)), {
    minItems: 1,
    maxItems: 100,
    description: 'The account types of the counterparties; for IN, of the account to pay into',
  }),
  paymentRails: Type.Optional(
    Type.Array(OneOfWords(PAYMENT_RAILS), {
      minItems: 1,
      maxItems: 100,
      description: 'The networks that a payment may request. Default: every network of these account types',
    }),
  ),
  currencies: Type.Array(CurrencyCode, { minItems: 1, maxItems: 100 }),
})

const Limit = Type.Object({
  currency: CurrencyCode,
  min: Type.Optional(Int64({ minimum: 1, description: 'The smallest payment, in the smallest unit' })),
  max: Type.Optional(Int64({ minimum: 1, description: 'The largest payment, in the smallest unit' })),
})

const Hours = Type.Object({
  timeZone: TimeZoneName('The zone of the times, by its name in the IANA database'),
  days: Type.Array(OneOfWords(WEEKDAYS), { minItems: 1, maxItems: 7, uniqueItems: true }),
  opensAt: TimeOfDay('The start of the time in which payments are given to the rail'),
  cutOff: TimeOfDay('The end of that time. Later payments wait for the next open day'),
  holidays: Type.Optional(
    Type.Array(
      Pattern('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', { maxLength: 10, patternText: 'a date like 2026-12-25' }),
      {
        maxItems: HOLIDAYS_MAX,
        description: 'Dates on which the rail is closed',
      },
    ),
  ),
})

const Cost = Type.Object({
  currency: CurrencyCode,
  fixed: Type.Optional(Int64({ minimum: 0, description: 'The cost of each payment, in the smallest unit' })),
  percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'Percentage of the amount' })),
})

const common = {
  name: RailName,
  platform: Type.Optional(
    Id('Platform', 'The platform of the rail. Default: the oldest platform of the server'),
  ),
  isRetired: Type.Optional(
    Type.Boolean({
      description:
        'True: the rail accepts nothing new. Earlier payments stay with it, so keep it in the file until they have ended',
    }),
  ),
  serves: Type.Array(Serves, { minItems: 1, maxItems: 100 }),
  limits: Type.Optional(
    Type.Array(Limit, {
      maxItems: 200,
      description: 'A payment outside these limits goes to the next rail that serves it',
    }),
  ),
  hours: Type.Optional(Hours),
  costs: Type.Optional(
    Type.Array(Cost, {
      maxItems: 200,
      description: "The provider's charges. Reconciliation expects them in the statement",
    }),
  ),
  lateDeposits: Type.Optional(
    OneOfWords(
      ['RETURN', 'CREDIT'],
      "Money that arrives for a quote that has ended: RETURN sends it back to its sender (the default), CREDIT credits it to the customer's account",
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
      description: 'The seconds after which the outcome of a call is unknown. Default: 10',
    }),
  ),
})

const Folders = {
  outbox: line(200, 'The folder that the bank takes our files from'),
  inbox: line(200, 'The folder that the bank puts its files into'),
  done: line(200, 'The folder for files of the bank that were read'),
  refused: line(200, 'The folder for files of the bank that could not be read'),
}

const Disk = Type.Object({
  type: Tag('folder'),
  path: line(1000, 'A folder of this machine'),
  ...Folders,
})

const Sftp = Type.Object({
  type: Tag('sftp'),
  host: line(255, 'The host of the server'),
  port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: 'Default: 22' })),
  user: line(255, 'The user there'),
  hostKey: Pattern('^SHA256:[A-Za-z0-9+/]{43}$', {
    maxLength: 50,
    patternText: 'SHA256: and 43 characters, as ssh-keygen -l prints it',
    description: 'The fingerprint of the host key. A server with another key is refused',
  }),
  password: Type.Optional(EnvironmentReference),
  privateKey: Type.Optional(EnvironmentReference),
  passphrase: Type.Optional(EnvironmentReference),
  path: Type.Optional(
    line(1000, 'The folder that contains these folders. Default: the home folder of the user'),
  ),
  ...Folders,
})

export const BankFilesRail = Type.Object({
  kind: Tag('bank-files'),
  ...common,
  format: OneOf('type', [SepaFormat, AchFormat, WireFormat, BacsFormat, FasterPaymentsFormat]),
  place: OneOf('type', [Disk, Sftp]),
  fileNames: Type.Optional(FileNames),
  markers: Type.Optional(Markers),
  acknowledgements: Type.Optional(Acknowledgements),
  pgp: Type.Optional(Pgp),
  everyMinutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1440,
      description:
        'The interval at which collected payments are written to a file. A file is also written at the ' +
        'cut-off of `hours`. Default: 15, or 60 for ACH, whose files have 36 ids a day',
    }),
  ),
  inboxEverySeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'The interval at which the inbox is read. Default: 60',
    }),
  ),
  filePaymentsMax: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'Maximum number of payments in one file. Default: 10000',
    }),
  ),
  fileAmountMax: Type.Optional(
    Int64({
      minimum: 1,
      description:
        'The maximum total of one file, in the smallest unit. A payment above it gets a separate file',
    }),
  ),
  fileMegabytesMax: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_000,
      description: "The maximum size of the bank's files. Larger files are refused. Default: 200",
    }),
  ),
  depositsFrom: Type.Optional(
    OneOfWords(
      ['STATEMENTS', 'ADVICES', 'ACH_FILES'],
      'The bank’s files that credit incoming money: camt.053, MT940 and BAI2 (the default of SEPA and wires), camt.054, or NACHA files (the default of ACH). ' +
        'All of them report the same money: the others confirm it, and a statement adds entries that only it has',
    ),
  ),
  statementFormat: Type.Optional(
    OneOfWords(
      STATEMENT_FORMATS,
      'The format of the bank’s statements; files with statements in another one are refused. Default: ' +
        'CAMT_053 or BAI2, whichever the bank sends; with `debits` of the format only CAMT_053. BAI2 does ' +
        'not support `debits`',
    ),
  ),
  otherAccountNumbers: Type.Optional(
    Type.Array(line(34, 'Another number of the account'), {
      maxItems: 20,
      description:
        "Other numbers of the account in the bank's files. Entries about any other account have no effect",
    }),
  ),
  bankCodes: Type.Optional(
    Type.Array(
      Type.Object({
        code: line(100, 'As in the statement, such as NCHG+808+9310+808'),
        kind: OneOfWords(['FEE', 'INTEREST'], 'The meaning of an entry with this code'),
      }),
      {
        maxItems: 500,
        description:
          "The bank's own codes for charges and interest. The codes of ISO 20022, BAI2 and SWIFT are built in",
      },
    ),
  ),
})

const EvmAddress = (description: string) =>
  Pattern('^0x[0-9a-fA-F]{40}$', {
    maxLength: 42,
    patternText: '0x and 40 hexadecimal digits, with the capitals of its checksum',
    description,
  })

const EvmToken = Type.Object({
  currency: CurrencyCode,
  address: EvmAddress('The contract. Its decimals are read at startup and must match the currency'),
  standard: OneOfWords(
    ['EIP3009', 'ERC20'],
    'EIP3009: payments are authorizations that any account may submit to the chain, as with USDC. ERC20: plain transfers, whose sender pays the gas',
  ),
})

export const EvmRail = Type.Object({
  kind: Tag('evm'),
  ...common,
  network: OneOfWords(EVM_NETWORKS, 'The name of the chain in the API: its wallets are NETWORK_WALLET'),
  chainId: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The chain id of EIP-155. A node of another chain is not used; at startup it is an error',
  }),
  rpcs: Type.Array(
    OneOf('type', [
      Type.Object({ type: Tag('url'), url: line(2000, 'https://, or http:// on this machine') }),
      Type.Object({ type: Tag('secret'), ...EnvironmentReference.properties }),
    ]),
    {
      minItems: 1,
      maxItems: 10,
      description:
        'Nodes over JSON-RPC, the preferred one first. An address that contains a key is given as a secret',
    },
  ),
  agreement: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2,
      description:
        'The number of nodes that must agree before money is credited or a payment counts. Default: 1',
    }),
  ),
  tokens: Type.Array(EvmToken, { minItems: 1, maxItems: 20 }),
  confirmations: Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: 'The number of blocks, its own included, after which a payment or deposit counts',
  }),
  blocksPerRequest: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'The number of blocks per request to a node. Default: 1000',
    }),
  ),
  fees: Type.Optional(EvmFees),
  lowWater: Type.Optional(LowWater),
  gasAccounts: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'The number of accounts that pay for gas. Default: 1',
    }),
  ),
  faucet: Type.Optional(
    EvmAddress(
      'Only in a sandbox: an account whose key the first node holds, as on a local chain. It mints the ' +
        'money with which accounts are funded, and sends coin to the gas accounts',
    ),
  ),
  multicall: Type.Optional(
    EvmAddress(
      "Multicall3, which combines a wallet's payment and its fee into one transaction. Default: its address on most networks",
    ),
  ),
  sweeps: Type.Optional(
    Type.Array(
      Type.Object({
        currency: CurrencyCode,
        from: Int64({
          minimum: 1,
          description: 'An address is swept to the treasury from this balance on, in the smallest unit',
        }),
      }),
      { maxItems: 20, description: 'Default: deposits stay at their addresses' },
    ),
  ),
})

export const RailEntry = OneOf('kind', [HttpRail, BankFilesRail, EvmRail])

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
export type BankFilesRailValue = Static<typeof BankFilesRail>
export type EvmRailValue = Static<typeof EvmRail>
export type RailsFileValue = Static<typeof RailsFile>
