import { Type } from 'typebox'
import {
  AccountNumber,
  type AccountTypeDeclaration,
  AnyIban,
  BankName,
  byReference,
  ofAsset,
  SwiftCode,
  WalletAddress,
} from './account-fields.ts'
import { IndividualBeneficiary } from './beneficiaries.ts'
import { currenciesOfKind } from './currencies.ts'
import { CountryCode } from './formats.ts'
import { OneOfWords, Opaque, Pattern } from './schema.ts'

const Invoice = Pattern('^[0-9A-Za-z]{1,4096}$', { maxLength: 4096, description: 'BOLT 11 invoice' })

const address = { address: WalletAddress }

/** Accounts that no one country or currency fixes: a bank by SWIFT, and wallets. */
export const OTHER_ACCOUNT_TYPES = {
  SWIFT_ACCOUNT: {
    currencies: currenciesOfKind('fiat'),
    rails: ['SWIFT'],
    fields: {
      country: CountryCode,
      swiftCode: SwiftCode,
      bankName: BankName,
      accountNumber: Type.Optional(AccountNumber),
      iban: Type.Optional(AnyIban),
    },
    identifiedBy: ['accountNumber', 'iban'],
    individual: IndividualBeneficiary,
    paymentExtra: byReference,
  },
  SPARK_WALLET: {
    currencies: ['BTC', 'USDB'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    paymentExtra: {
      assetType: OneOfWords(['BTC', 'USDB'], 'The asset to send'),
      invoice: Type.Optional(
        Pattern('^[0-9A-Za-z]{1,4096}$', { maxLength: 4096, description: 'Spark invoice' }),
      ),
    },
  },
  LIGHTNING: {
    currencies: ['BTC'],
    rails: [],
    fields: {
      lightningAddress: Type.Optional(
        Pattern('^[a-z0-9._+-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,180}[a-z0-9])?(?::[0-9]{1,5})?$', {
          description: 'name@host',
        }),
      ),
      bolt12: Type.Optional(
        Pattern('^[0-9A-Za-z]{1,4096}$', { maxLength: 4096, description: 'BOLT 12 offer' }),
      ),
      invoice: Type.Optional(Invoice),
    },
    identifiedBy: ['lightningAddress', 'bolt12', 'invoice'],
    paymentOnly: { invoice: Invoice },
  },
  SOLANA_WALLET: {
    currencies: ['USDC', 'USDT'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    paymentExtra: ofAsset(['USDC', 'USDT']),
  },
  TRON_WALLET: {
    currencies: ['USDT'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    paymentExtra: ofAsset(['USDT']),
  },
  POLYGON_WALLET: {
    currencies: ['USDC'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    paymentExtra: ofAsset(['USDC']),
  },
  BASE_WALLET: {
    currencies: ['USDC'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    paymentExtra: ofAsset(['USDC']),
  },
  ETHEREUM_WALLET: {
    currencies: ['USDC'],
    rails: [],
    fields: address,
    identifiedBy: ['address'],
    paymentExtra: ofAsset(['USDC']),
  },
  // A wallet held here: it pays by signing, so its instructions are the payload and nothing else.
  EMBEDDED_WALLET: {
    currencies: currenciesOfKind('crypto'),
    rails: [],
    identifiedBy: [],
    paymentOnly: {
      payloadToSign: Opaque(65536, { description: 'Stamp exactly these characters to execute the quote' }),
    },
  },
} as const satisfies Record<string, AccountTypeDeclaration>
