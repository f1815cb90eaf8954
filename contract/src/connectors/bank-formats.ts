import { Type } from 'typebox'
import { CountryCode, TimeOfDay } from '../core/formats.ts'
import { OneOfWords, Pattern, Tag } from '../core/schema.ts'

/** A single-line setting. */
export const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description })

/**
 * Names the environment variable or file that contains a secret. Secrets are never in the settings file
 * itself.
 */
export const EnvironmentReference = Type.Object({
  env: Pattern('^[A-Z][A-Z0-9_]{0,99}$', {
    maxLength: 100,
    patternText: 'the name of an environment variable like EXAMPLE_BANK_SECRET',
    description: 'The environment variable that contains it',
  }),
})

const Iban = Pattern('^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$', {
  maxLength: 34,
  patternText: 'an IBAN without spaces',
})
const Bic = Pattern('^[A-Z0-9]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$', { maxLength: 11, patternText: 'a BIC' })
const Routing = Pattern('^[0-9]{9}$', { maxLength: 9, patternText: 'a routing number of 9 digits' })

const addressParts = {
  street: Type.Optional(line(70, 'The street')),
  buildingNumber: Type.Optional(line(16, 'The number of the building')),
  postalCode: Type.Optional(line(16, 'The postal code')),
  city: line(35, 'The town'),
  country: CountryCode,
}

const SepaDebits = Type.Object(
  {
    creditorId: Pattern("^[A-Z]{2}[0-9]{2}[A-Za-z0-9]{3}[A-Za-z0-9+?/:().,'-]{1,28}$", {
      maxLength: 35,
      patternText: 'a creditor identifier without spaces, like DE98ZZZ09999999999',
      description: 'The creditor identifier of the holder of the account',
    }),
    leadDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 14,
        description:
          'Banking days of TARGET from the file to its collection, as agreed with the bank. Default: 1, as in the rules of the CORE scheme',
      }),
    ),
    deliveredAfterDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 45,
        description:
          'A collection is credited this number of banking days of TARGET after its day, once a statement has booked it. Default: 5, ' +
          'in which the bank of the debtor may return it. The debtor may ask for a refund during 8 weeks',
      }),
    ),
  },
  { description: 'Direct debits of the CORE scheme in pain.008, which `PULL` needs' },
)

/** A bank account that takes pain.001 and pain.008 files. */
export const SepaFormat = Type.Object({
  type: Tag('SEPA'),
  name: line(70, 'The holder of the account, as the bank spells it'),
  iban: Iban,
  bic: Type.Optional(Bic),
  address: Type.Optional(
    Type.Object(addressParts, {
      description:
        'Of the holder of the account. Payments to banks outside of the European Economic Area need it',
    }),
  ),
  debits: Type.Optional(SepaDebits),
})

/** Formats of bank statements. An entry reported in two of them would be counted twice. */
export const STATEMENT_FORMATS = ['CAMT_053', 'BAI2', 'MT940'] as const
export type StatementFormat = (typeof STATEMENT_FORMATS)[number]

/** Payment values that a column in a bank's CSV file can contain. */
export const WIRE_COLUMNS = [
  ...['AMOUNT', 'CURRENCY', 'DATE', 'REFERENCE', 'INSTRUCTION_ID'],
  ...['NAME', 'ACCOUNT_NUMBER', 'ROUTING_NUMBER', 'TEXT'],
  ...['STREET', 'BUILDING_NUMBER', 'POSTAL_CODE', 'CITY', 'REGION', 'COUNTRY'],
  ...['PAYER_NAME', 'PAYER_ACCOUNT_NUMBER', 'PAYER_ROUTING_NUMBER'],
] as const

const WireCsv = Type.Object(
  {
    columns: Type.Array(
      Type.Object({
        header: line(60, 'The name of the column'),
        value: Type.Optional(OneOfWords(WIRE_COLUMNS, 'The value of each payment')),
        text: Type.Optional(line(100, 'The same text in every row, such as the type that the bank expects')),
      }),
      { minItems: 1, maxItems: 60, description: 'In order. A column without value and text is empty' },
    ),
    separator: Type.Optional(OneOfWords([',', ';', '|'], 'Between columns. Default: the comma')),
    hasHeader: Type.Optional(
      Type.Boolean({ description: 'False if the first row is a payment. Default: true' }),
    ),
    dates: Type.Optional(
      OneOfWords(
        ['YYYY-MM-DD', 'YYYYMMDD', 'MM/DD/YYYY', 'DD.MM.YYYY'],
        'The form of dates. Default: YYYY-MM-DD',
      ),
    ),
    decimalMark: Type.Optional(OneOfWords(['.', ','], 'In amounts. Default: the point')),
  },
  { description: "The bank's own CSV file. Left out: pain.001" },
)

/** A bank account that sends wires: pain.001 with urgent priority, or the bank's own CSV format. */
export const WireFormat = Type.Object({
  type: Tag('WIRE'),
  name: line(70, 'The holder of the account, as the bank spells it'),
  accountNumber: line(17, 'The account at this bank, which others pay in to'),
  routingNumber: Routing,
  address: Type.Object(
    { ...addressParts, region: Type.Optional(line(35, 'The state, such as NY')) },
    { description: 'Of the holder of the account. Every wire states it' },
  ),
  charges: Type.Optional(
    OneOfWords(
      ['DEBT', 'SHAR'],
      'DEBT: the payer pays all charges. SHAR: each side pays its own (the default)',
    ),
  ),
  csv: Type.Optional(WireCsv),
})

const poundAccount = {
  sortCode: Pattern('^[0-9]{6}$', { maxLength: 6, patternText: 'a sort code of 6 digits' }),
  accountNumber: Pattern('^[0-9]{8}$', {
    maxLength: 8,
    patternText: '8 digits',
    description: 'The account at this bank, which others pay in to',
  }),
}

const BACS_DAYS = 'banking days of England'

const BacsDebits = Type.Object(
  {
    leadDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 18,
        description: `From the file to the processing day of its collections, in ${BACS_DAYS}: the advance notice that payers have. Default: 10, unless you have agreed on less with them`,
      }),
    ),
    firstLeadDays: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 18,
        description: `The same for the first collection of a mandate, before which the bank of the payer may return the instruction. Default: 10`,
      }),
    ),
    deliveredAfterDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 45,
        description: `A collection is credited this number of ${BACS_DAYS} after its processing day, once a statement has booked it. Default: 3, in which ARUDD reports unpaid ones. The payer may claim a refund without a time limit`,
      }),
    ),
  },
  { description: 'Direct debits with AUDDIS instructions, which `PULL` needs' },
)

/** A bank account that takes Bacs Standard 18 files. */
export const BacsFormat = Type.Object({
  type: Tag('BACS'),
  name: line(18, 'The holder of the account, as payees and payers read it'),
  ...poundAccount,
  serviceUserNumber: Pattern('^[0-9A-Z]{6}$', {
    maxLength: 6,
    patternText: 'a service user number of 6 digits',
    description: 'The service user number (SUN) that Bacs has assigned',
  }),
  deliveredAfterDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10,
      description: `Bacs does not report what arrived. A payment counts as delivered this number of ${BACS_DAYS} after its processing day, unless it came back. Default: 3, in which ARUCS reports returns`,
    }),
  ),
  debits: Type.Optional(BacsDebits),
})

const isoCode = (maxLength: number, description: string) =>
  Type.Optional(
    Pattern(`^[A-Z0-9]{1,${maxLength}}$`, {
      maxLength,
      patternText: `1 to ${maxLength} capitals and digits`,
      description,
    }),
  )

const ownCode = (description: string) =>
  Type.Optional(
    Pattern('^[A-Za-z0-9][A-Za-z0-9 ./_-]{0,34}$', {
      maxLength: 35,
      patternText: '1 to 35 letters, digits and signs',
      description,
    }),
  )

const PaymentType = Type.Object(
  {
    serviceLevelCode: isoCode(4, 'A service level of ISO 20022, such as URNS or INST'),
    serviceLevelProprietary: ownCode("The bank's own service level, such as FAST"),
    localInstrumentCode: isoCode(35, 'A local instrument of ISO 20022'),
    localInstrumentProprietary: ownCode("The bank's own local instrument"),
  },
  {
    description:
      'The mark by which the bank recognizes Faster Payments: at most one service level and one local instrument. Default: the service level URNS. {}: none, because the bank chooses the network itself',
  },
)

/** A bank account in pounds that takes Faster Payments as pain.001 files. */
export const FasterPaymentsFormat = Type.Object({
  type: Tag('FASTER_PAYMENTS'),
  name: line(70, 'The holder of the account, as the bank spells it'),
  ...poundAccount,
  iban: Type.Optional(Iban),
  bic: Type.Optional(Bic),
  address: Type.Optional(
    Type.Object(addressParts, { description: 'Of the holder of the account, if the bank asks for it' }),
  ),
  paymentType: Type.Optional(PaymentType),
})

/** The originator of NACHA files. */
export const AchFormat = Type.Object({
  type: Tag('ACH'),
  destination: Routing,
  destinationName: line(23, 'The bank that gets the files'),
  origin: line(10, 'The immediate origin that the bank gave'),
  originName: line(23, 'The name that belongs to it'),
  companyName: line(16, 'The name that receivers read'),
  companyId: line(10, 'The company identification that the bank gave'),
  originatingBank: Pattern('^[0-9]{8}$', {
    maxLength: 8,
    patternText: '8 digits',
    description: 'The routing number of the originating bank without its last digit',
  }),
  description: line(10, 'Text that receivers read next to the name, such as PAYOUT'),
  accountNumber: line(17, 'The account at this bank, which others pay in to'),
  routingNumber: Routing,
  debitClass: Type.Optional(
    OneOfWords(
      ['PPD', 'WEB', 'TEL'],
      "The form of people's consent to pulls: PPD in writing (the default), WEB online, TEL by telephone. Pulls from businesses are CCD",
    ),
  ),
  sameDayUntil: Type.Optional(
    TimeOfDay(
      'Same-day ACH: files made up to this time on a banking day have its date, but for payments above 1,000,000 USD. Left out: the next banking day',
    ),
  ),
  isBalanced: Type.Optional(
    Type.Boolean({
      description:
        'True: each batch has an offset entry for `accountNumber` at `routingNumber`, so that debits equal credits. A file is at most 99,999,999.99 USD. Default: the bank books the other side itself',
    }),
  ),
  sendsPrenotes: Type.Optional(
    Type.Boolean({
      description:
        'True: the first payment to an account, and the first pull from one, follows a prenote without an amount. It waits 3 banking days of the Federal Reserve for a return. Default: payments go immediately',
    }),
  ),
  deliveredAfterDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10,
      description:
        'ACH does not report what arrived. A payment counts as delivered this number of banking days of the Federal Reserve after its effective date, unless it came back. 3 if left out; a pull counts after 2 at the earliest',
    }),
  ),
})
