import { Type } from 'typebox'
import { CountryCode } from '../core/formats.ts'
import { OneOfWords, Pattern, Tag } from '../core/schema.ts'

/** A setting of one line. */
export const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description })

const Iban = Pattern('^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$', {
  maxLength: 34,
  patternText: 'an IBAN without spaces',
})
const Bic = Pattern('^[A-Z0-9]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$', { maxLength: 11, patternText: 'a BIC' })
const Routing = Pattern('^[0-9]{9}$', { maxLength: 9, patternText: 'a routing number of 9 digits' })

/** The account at a bank that takes pain.001. */
export const SepaFormat = Type.Object({
  type: Tag('SEPA'),
  name: line(70, 'The holder of the account, as the bank has it'),
  iban: Iban,
  bic: Type.Optional(Bic),
  address: Type.Optional(
    Type.Object(
      {
        street: Type.Optional(line(70, 'The street')),
        buildingNumber: Type.Optional(line(16, 'The number of the building')),
        postalCode: Type.Optional(line(16, 'The postal code')),
        city: line(35, 'The town'),
        country: CountryCode,
      },
      {
        description:
          'Of the holder of the account. Payments to banks outside of the European Economic Area need it',
      },
    ),
  ),
})

/** The originator of NACHA files. */
export const AchFormat = Type.Object({
  type: Tag('ACH'),
  destination: Routing,
  destinationName: line(23, 'The bank that gets the files'),
  origin: line(10, 'The immediate origin that the bank gave'),
  originName: line(23, 'The name next to it'),
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
      'How people consent to pulls: PPD in writing (the default), WEB online, TEL by telephone. Pulls from businesses are CCD',
    ),
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
