import type { Answer } from '../../client/calls.ts'

type Account = Answer<'customer_internal_account_list'>['body']['data'][number]
type Transaction = Answer<'transaction_list'>['body']['data'][number]
type CardRecord = Answer<'card_get'>['body']

/** Fields of accounts and payees that the components show, each with a label in every language. */
export type FieldName =
  | 'accountId'
  | 'accountNumber'
  | 'accountType'
  | 'address'
  | 'assetType'
  | 'bankAccountType'
  | 'bankCode'
  | 'bankName'
  | 'beneficiaryType'
  | 'birthDate'
  | 'bolt12'
  | 'branchCode'
  | 'city'
  | 'clabeNumber'
  | 'country'
  | 'countryOfResidence'
  | 'currency'
  | 'destinationType'
  | 'documentNumber'
  | 'documentType'
  | 'email'
  | 'fullName'
  | 'iban'
  | 'invoice'
  | 'legalName'
  | 'lightningAddress'
  | 'line1'
  | 'line2'
  | 'nationality'
  | 'paymentRail'
  | 'paymentRails'
  | 'paymentUrl'
  | 'phoneNumber'
  | 'pixKey'
  | 'pixKeyType'
  | 'postalCode'
  | 'provider'
  | 'qrCode'
  | 'reference'
  | 'region'
  | 'registrationNumber'
  | 'routingNumber'
  | 'sortCode'
  | 'state'
  | 'swiftCode'
  | 'taxId'
  | 'umaAddress'
  | 'vpa'

/** All strings of the components. A translation must be complete: a missing text is a compile error. */
export interface Texts {
  readonly loading: string
  readonly tryAgain: string
  readonly showMore: string

  readonly signIn: string
  readonly sendCodeTo: (address: string) => string
  readonly textCodeTo: (phoneNumber: string) => string
  readonly withPasskey: (nickname: string) => string
  readonly withIdentity: (provider: string) => string
  readonly anIdentity: string
  readonly code: string
  readonly codeSentTo: (address: string) => string
  readonly anotherCode: string
  readonly anotherCodeSent: (address: string) => string
  readonly otherWay: string
  readonly noWayToSignIn: string
  readonly signedIn: string
  readonly signedInUntil: (time: string) => string
  readonly signOut: string
  readonly signedOut: string
  readonly sessionEnded: string
  readonly addPasskey: string
  readonly passkeyAdded: string

  readonly pay: string
  readonly payeeName: string
  readonly amountIn: (currency: string) => string
  /** A payee of whom only the currency is known. */
  readonly accountIn: (currency: string) => string
  /** A payee without a name, such as a wallet on a chain. */
  readonly accountAt: (place: string) => string
  readonly confirmPayment: string
  readonly youPay: string
  readonly feeOfIt: string
  readonly theyReceive: string
  readonly payee: string
  readonly payeeDetails: string
  readonly onChain: string
  readonly chainPayment: string
  readonly chainFee: string
  readonly validUntil: string
  readonly allThatIsSigned: string
  readonly signAndPay: string
  readonly cancel: string
  /** An amount in a currency that this version does not know. */
  readonly smallestUnits: (amount: string, currency: string) => string

  readonly balances: string
  readonly noAccounts: string
  readonly withHeld: (total: string) => string
  readonly accountTypes: Readonly<Record<Account['type'], string>>

  readonly transactions: string
  readonly noTransactions: string
  readonly received: string
  readonly sent: string
  readonly transactionStates: Readonly<Record<Transaction['status'], string>>

  readonly receive: string
  readonly receiveBy: (place: string) => string
  readonly noInstructions: string
  readonly copy: string
  readonly copyOf: (label: string) => string
  readonly copied: (label: string) => string
  readonly notCopied: string

  readonly card: string
  readonly noCard: string
  readonly cardEndingIn: (last4: string) => string
  readonly expires: (date: string) => string
  readonly freeze: string
  readonly unfreeze: string
  readonly cardNowFrozen: string
  readonly cardNowActive: string
  /** The platform has frozen the card, and the cardholder may not unfreeze it. */
  readonly cardFrozenByUs: string
  readonly signInForCard: string
  readonly cardStates: Readonly<Record<CardRecord['state'], string>>

  readonly paymentUnderWay: string
  readonly paymentSettled: string
  readonly paymentFailed: string

  readonly wrongCode: string
  readonly codesLocked: string
  readonly tooMany: string
  readonly unreachable: string
  readonly balanceTooLow: string
  readonly quoteExpired: string
  readonly notConfirmed: string
  readonly notWhatYouAsked: string
  readonly passkeyNotUsed: string
  readonly wrongAmount: string
  readonly wrongBankAccount: string
  readonly wentWrong: string
  readonly individual: string
  readonly business: string
  readonly fields: Readonly<Record<FieldName, string>>
}
