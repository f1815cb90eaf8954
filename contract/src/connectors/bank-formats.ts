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
    description: 'The environment variable that contains the secret',
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
      description: "The account holder's creditor identifier",
    }),
    leadDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 14,
        description:
          'TARGET banking days from the file to its collection, as agreed with the bank. Default: 1, as in the CORE scheme rules',
      }),
    ),
    deliveredAfterDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 45,
        description:
          'A collection is credited this number of TARGET banking days after its day, once a statement ' +
          "has booked it. Default: 5, within which the debtor's bank may return it. The debtor may claim " +
          'a refund for 8 weeks',
      }),
    ),
  },
  { description: 'Direct debits of the CORE scheme in pain.008, required for `PULL`' },
)

/** A bank account that takes pain.001 and pain.008 files. */
export const SepaFormat = Type.Object({
  type: Tag('SEPA'),
  name: line(70, 'The account holder, as the bank spells the name'),
  iban: Iban,
  bic: Type.Optional(Bic),
  address: Type.Optional(
    Type.Object(addressParts, {
      description:
        "The account holder's address. Required for payments to banks outside the European Economic Area",
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
      {
        minItems: 1,
        maxItems: 60,
        description: 'The columns in order. A column without value and text is empty',
      },
    ),
    separator: Type.Optional(OneOfWords([',', ';', '|'], 'The column separator. Default: comma')),
    hasHeader: Type.Optional(
      Type.Boolean({ description: 'False if the first row is a payment. Default: true' }),
    ),
    dates: Type.Optional(
      OneOfWords(
        ['YYYY-MM-DD', 'YYYYMMDD', 'MM/DD/YYYY', 'DD.MM.YYYY'],
        'The date format. Default: YYYY-MM-DD',
      ),
    ),
    decimalMark: Type.Optional(OneOfWords(['.', ','], 'The decimal mark in amounts. Default: point')),
  },
  { description: "The bank's own CSV format. Default: pain.001" },
)

/** A bank account that sends wires: pain.001 with urgent priority, or the bank's own CSV format. */
export const WireFormat = Type.Object({
  type: Tag('WIRE'),
  name: line(70, 'The account holder, as the bank spells the name'),
  accountNumber: line(17, 'The account at this bank, into which others pay'),
  routingNumber: Routing,
  address: Type.Object(
    { ...addressParts, region: Type.Optional(line(35, 'The state, such as NY')) },
    { description: "The account holder's address, stated in every wire" },
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
    description: 'The account at this bank, into which others pay',
  }),
}

const BACS_DAYS = 'English banking days'

const BacsDebits = Type.Object(
  {
    leadDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 18,
        description:
          `The number of ${BACS_DAYS} from the file to the processing day of its collections: the ` +
          'advance notice to payers. Default: 10. Use less only if you have agreed on it with them',
      }),
    ),
    firstLeadDays: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 18,
        description:
          "Like `leadDays`, for the first collection of a mandate, before which the payer's bank may return the instruction. Default: 10",
      }),
    ),
    deliveredAfterDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 45,
        description:
          `A collection is credited this number of ${BACS_DAYS} after its processing day, once a ` +
          'statement has booked it. Default: 3, within which ARUDD reports unpaid ones. The payer may ' +
          'claim a refund without a time limit',
      }),
    ),
  },
  { description: 'Direct debits with AUDDIS instructions, required for `PULL`' },
)

/** A bank account that takes Bacs Standard 18 files. */
export const BacsFormat = Type.Object({
  type: Tag('BACS'),
  name: line(18, "The account holder's name, as shown to payees and payers"),
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
      description:
        `Bacs does not confirm delivery. A payment counts as delivered this number of ${BACS_DAYS} after ` +
        'its processing day, unless it was returned. Default: 3, within which ARUCS reports returns',
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
      'The codes by which the bank recognizes Faster Payments: at most one service level and one local ' +
      'instrument. Default: the service level URNS. {}: none, if the bank chooses the network itself',
  },
)

/** A bank account in pounds that takes Faster Payments as pain.001 files. */
export const FasterPaymentsFormat = Type.Object({
  type: Tag('FASTER_PAYMENTS'),
  name: line(70, 'The account holder, as the bank spells the name'),
  ...poundAccount,
  iban: Type.Optional(Iban),
  bic: Type.Optional(Bic),
  address: Type.Optional(
    Type.Object(addressParts, { description: "The account holder's address, if the bank requires it" }),
  ),
  paymentType: Type.Optional(PaymentType),
})

/** The originator of NACHA files. */
export const AchFormat = Type.Object({
  type: Tag('ACH'),
  destination: Routing,
  destinationName: line(23, 'The bank that receives the files'),
  origin: line(10, 'The immediate origin that the bank assigned'),
  originName: line(23, 'The name of the immediate origin'),
  companyName: line(16, 'The name shown to receivers'),
  companyId: line(10, 'The company identification that the bank assigned'),
  originatingBank: Pattern('^[0-9]{8}$', {
    maxLength: 8,
    patternText: '8 digits',
    description: 'The routing number of the originating bank without its last digit',
  }),
  description: line(10, 'Text shown to receivers next to the name, such as PAYOUT'),
  accountNumber: line(17, 'The account at this bank, into which others pay'),
  routingNumber: Routing,
  debitClass: Type.Optional(
    OneOfWords(
      ['PPD', 'WEB', 'TEL'],
      'The form in which people consent to pulls: PPD in writing (the default), WEB online, TEL by telephone. Pulls from businesses are CCD',
    ),
  ),
  sameDayUntil: Type.Optional(
    TimeOfDay(
      'Same-day ACH: files created up to this time on a banking day have that date, except for payments above 1,000,000 USD. Default: the next banking day',
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
        'True: the first payment to an account, and the first pull from one, follows a prenote without ' +
        'an amount and waits 3 Federal Reserve banking days for its return. Default: payments are sent ' +
        'immediately',
    }),
  ),
  deliveredAfterDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10,
      description:
        'ACH does not confirm delivery. A payment counts as delivered this number of Federal Reserve ' +
        'banking days after its effective date, unless it was returned. Default: 3; a pull counts after ' +
        '2 at the earliest',
    }),
  ),
})
