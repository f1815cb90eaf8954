import { Type } from 'typebox'
import { listCurrenciesOfKind } from '../core/currencies.ts'
import { CountryCode, NAME_AT_HOST } from '../core/formats.ts'
import { OneOfWords, Opaque, Pattern } from '../core/schema.ts'
import {
  AccountNumber,
  type AccountTypeDeclaration,
  AnyIban,
  BankName,
  byReference,
  SwiftCode,
  WalletAddress,
  withAsset,
} from './account-fields.ts'
import { IndividualBeneficiary } from './beneficiaries.ts'

const Invoice = Pattern('^[0-9A-Za-z]{1,4096}$', { maxLength: 4096, description: 'BOLT 11 invoice' })

/** The first example invoice in BOLT 11. */
const EXAMPLE_INVOICE = [
  'lnbc1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5',
  'rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq9qrsgq357wnc5r2ueh7ck6q93dj32dlqnls0',
  '87fxdwk8qakdyafkq3yap9us6v52vjjsrvywa6rt52cm9r9zqt8r2t7mlcwspyetp5h2tztugp9lfyql',
].join('')

const address = { address: WalletAddress }

/** Accounts not tied to a country or currency: SWIFT bank accounts and wallets. */
export const OTHER_ACCOUNT_TYPES = {
  SWIFT_ACCOUNT: {
    currencies: listCurrenciesOfKind('fiat'),
    rails: ['SWIFT'],
    fields: {
      country: CountryCode,
      swiftCode: SwiftCode,
      bankName: BankName,
      accountNumber: Type.Optional(AccountNumber),
      iban: Type.Optional(AnyIban),
    },
    identifiedBy: ['accountNumber', 'iban'],
    checks: { country: 'country', swiftCode: 'bic', accountNumber: 'number', iban: 'iban' },
    examples: [
      { country: 'CH', swiftCode: 'UBSWCHZH80A', bankName: 'UBS Switzerland', iban: 'CH9300762011623852957' },
      { country: 'JP', swiftCode: 'BOTKJPJT', bankName: 'MUFG Bank', accountNumber: '1234567' },
    ],
    individual: IndividualBeneficiary,
    paymentExtra: byReference,
  },
  SPARK_WALLET: {
    isChain: true,
    currencies: ['BTC', 'USDB'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    checks: { address: 'spark' },
    examples: [{ address: 'spark1pgssy7d7vel0nh9m4326qc54e6rskpczn07dktww9rv4nu5ptvt0s9uc489gg2' }],
    paymentExtra: {
      assetType: OneOfWords(['BTC', 'USDB'], 'The asset to send'),
      invoice: Type.Optional(
        Pattern('^[0-9A-Za-z]{1,4096}$', { maxLength: 4096, description: 'Spark invoice' }),
      ),
    },
  },
  LIGHTNING: {
    isChain: true,
    currencies: ['BTC'],
    rails: [],
    fields: {
      lightningAddress: Type.Optional(Pattern(`^${NAME_AT_HOST}$`, { description: 'name@host' })),
      bolt12: Type.Optional(
        Pattern('^[0-9A-Za-z]{1,4096}$', { maxLength: 4096, description: 'BOLT 12 offer' }),
      ),
      invoice: Type.Optional(Invoice),
    },
    identifiedBy: ['lightningAddress', 'bolt12', 'invoice'],
    checks: { bolt12: 'bolt12', invoice: 'bolt11' },
    examples: [
      { lightningAddress: 'ada@wallet.example' },
      { bolt12: 'lno1zcss9mk8y3wkklfvevcrszlmu23kfrxh49px20665dqwmn4p72pksese' },
      { invoice: EXAMPLE_INVOICE },
    ],
    paymentOnly: { invoice: Invoice },
  },
  SOLANA_WALLET: {
    isChain: true,
    currencies: ['USDC', 'USDT'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    checks: { address: 'solana' },
    examples: [{ address: '4Nd1m6Qkq7RfKuE5vQ9qP9Tn6H94Ueqb4xXHzsAbd8Wg' }],
    paymentExtra: withAsset(['USDC', 'USDT']),
  },
  TRON_WALLET: {
    isChain: true,
    currencies: ['USDT'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    checks: { address: 'tron' },
    examples: [{ address: 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL' }],
    paymentExtra: withAsset(['USDT']),
  },
  POLYGON_WALLET: {
    isChain: true,
    currencies: ['USDC'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    checks: { address: 'evm' },
    examples: [{ address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }],
    paymentExtra: withAsset(['USDC']),
  },
  BASE_WALLET: {
    isChain: true,
    currencies: ['USDC'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    checks: { address: 'evm' },
    examples: [{ address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' }],
    paymentExtra: withAsset(['USDC']),
  },
  ETHEREUM_WALLET: {
    isChain: true,
    currencies: ['USDC'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    checks: { address: 'evm' },
    examples: [{ address: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB' }],
    paymentExtra: withAsset(['USDC']),
  },
  // Payments from an embedded wallet need a signature, so its instructions contain only the payload to sign.
  EMBEDDED_WALLET: {
    currencies: listCurrenciesOfKind('crypto'),
    rails: [],
    identifiedBy: [],
    paymentOnly: {
      payloadToSign: Opaque(65536, { description: 'Stamp exactly these characters to execute the quote' }),
    },
  },
} as const satisfies Record<string, AccountTypeDeclaration>
